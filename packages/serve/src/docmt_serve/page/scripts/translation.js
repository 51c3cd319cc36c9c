// A text is translated while it is written: a little after the last key, and never two texts at a time.

import { AUTO, direction, modelsOf, onDirection, sameLanguage, sourceLike, tellDetected, usedTarget, chooseSource } from "./direction.js";
import { answerOf, ask, askJson, byId, pause, service, ServiceError, tell } from "./shared.js";
import { nameHere, number, duration, t } from "./words.js";

const LEAST_WAIT = 350, LONGEST_WAIT = 1500;   // ms after the last key
const CLEAR = 5;                               // percent: a language that is less probable is a guess
const CERTAIN = 50, ENOUGH_TO_TELL = 40;       // percent and characters, from which another language is told
const SAMPLE = 2000;                           // characters from which a language is detected

let timer = 0;
let running = null;
let lastTook = 0;
let view = null;       // shows what is found
let textNow = () => "";

export function startTranslation({ text, shows }) {
  textNow = text;
  view = shows;
  // The pair of the answer that is under way, or shown, is what a change of the direction is compared with.
  let last = pair();
  onDirection(() => {
    if (pair() === last) return;
    last = pair();
    if (!detecting) changed({ now: true });
  });
  for (const id of ["glossary", "consistent", "model"]) byId(id).addEventListener("change", () => changed({ now: true }));
}

const pair = () => `${direction.source}→${direction.target}`;

// The text or a choice is another one: what is under way is given up.
export function changed({ now = false, known } = {}) {
  clearTimeout(timer);
  running?.abort();
  running = null;
  view.told("");
  tell();
  const text = textNow();
  if (!text.trim()) { tellDetected(""); return view.empty(); }
  const count = [...text].length;
  if (count > service.limit) {
    return view.failed(new Error(t("too_long", { count: number(count), limit: number(service.limit) })));
  }
  if (!service.models.length) return view.empty();
  const wait = now ? 0 : Math.min(LONGEST_WAIT, Math.max(LEAST_WAIT, lastTook));
  timer = setTimeout(() => translate(text, known), wait);
}

async function translate(text, known) {
  const own = running = new AbortController();
  const begun = performance.now();
  view.busy(true);
  try {
    const source = direction.source === AUTO ? await detected(text, own.signal) : direction.source;
    const request = { ...asked(text, source), ...(known ? { known } : {}) };
    const answer = await answerWhenFree(request, own.signal);
    lastTook = performance.now() - begun;
    usedTarget(direction.target);
    view.show(answer, request);
    if (direction.source !== AUTO) await tellOther(text, own.signal);
  } catch (error) {
    if (error.name !== "AbortError") view.failed(error);
  } finally {
    if (running === own) { running = null; view.busy(false); }
  }
}

function asked(text, source) {
  const several = modelsOf(source, direction.target).length > 1;
  return {
    q: text,
    source,
    target: direction.target,
    ...(several ? { model: byId("model").value } : {}),
    glossary: glossary(),
    consistent: byId("consistent").checked,
    sentences: true,
  };
}

// A busy service is asked again when it says that it may be.
async function answerWhenFree(request, signal) {
  for (;;) {
    try {
      return await answerOf(await askJson("translate", request, signal));
    } catch (error) {
      if (error.status !== 429 || !error.seconds) throw error;
      tell(t("waiting", { time: duration(error.seconds) }));
      await pause(1000 * error.seconds);
      signal.throwIfAborted();
    }
  }
}

let detecting = false;

// The language of a text among those of the service. The target changes if the text is in it already.
async function detected(text, signal) {
  const ranked = await detect(text, signal);
  const { language, confidence } = ranked[0] ?? {};
  const served = ranked.map((each) => sourceLike(each.language)).find(Boolean);
  const isClear = confidence >= CLEAR;
  if (isClear && !sourceLike(language)) throw new Error(t("not_offered", { language: nameHere(language) }));
  detecting = true;
  tellDetected(isClear ? sourceLike(language) : served);
  detecting = false;
  const source = sourceLike(direction.detected);
  if (!modelsOf(source, direction.target).length) {
    throw new Error(t("no_pair", { source: nameHere(source), target: nameHere(direction.target) }));
  }
  if (!isClear && text.length >= ENOUGH_TO_TELL) view.told(t("unclear", { language: nameHere(source) }));
  return source;
}

const detect = async (text, signal) => answerOf(await askJson("detect", { q: text.slice(0, SAMPLE) }, signal));

// A text that seems not to be in the chosen language.
async function tellOther(text, signal) {
  if (text.trim().length < ENOUGH_TO_TELL) return;
  const [{ language, confidence }] = await detect(text, signal);
  if (confidence < CERTAIN || sameLanguage(language, direction.source)) return;
  const served = sourceLike(language);
  if (!served) return view.told(t("not_offered", { language: nameHere(language) }));
  view.told(t("seems", { language: nameHere(language) }), {
    text: t("seems_switch", { language: nameHere(served) }),
    act: () => chooseSource(served),
  });
}

// The glossary of the field, in lines with tabs.
export function glossary() {
  return byId("glossary").value.split("\n").map((line) => line.replace(/\s+=\s+/, "\t")).join("\n");
}

// Other translations of a sentence; none from a translator that gives none.
export async function alternativesOf(sentence, before, request, signal) {
  const { known, q, sentences, ...options } = request;
  const answer = await askJson("translate", { ...options, q: sentence, context: before, alternatives: 4 }, signal);
  if (answer.status === 400) return [];
  const { translatedText, alternatives } = await answerOf(answer);
  return [translatedText, ...alternatives ?? []].map((text) => text.trim());
}
