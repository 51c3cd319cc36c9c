// The translation: its sentences, lit with those of the text, and what is known of the chosen one.

import { direction, onDirection } from "./direction.js";
import { button, byId, element, icon, ServiceError, spoken, tell } from "./shared.js";
import { cut, placesOf } from "./sentences.js";
import { lightSource, placeSentences, showLights, sourceText } from "./source_pane.js";
import { closeCard, openCard } from "./sentence_card.js";
import { changed } from "./translation.js";
import { directionOf, t } from "./words.js";

const body = byId("target");
// What is shown: sentences with `source`, `target` (as it is now), `found` (as it was translated), `chunk`, `warnings`.
let shown = { parts: [], sentences: [], request: null };
// The sentence under the cursor, the chosen one, and those that were translated together with it.
const NOTHING = { lit: -1, chosen: -1, context: new Set() };
let lights = NOTHING;
const wordings = new Map();   // a person's own, by the sentence and the pair

const keyOf = (sentence) => `${shown.request.source}→${shown.request.target}: ${sentence.source}`;

export function startTarget() {
  body.onpointerover = (event) => light(indexOf(event.target));
  body.onpointerleave = () => light(-1);
  body.onclick = (event) => indexOf(event.target) >= 0 && choose(indexOf(event.target));
  body.onfocusin = (event) => light(indexOf(event.target));
  body.onkeydown = press;
  byId("copy").onclick = () => copy();
  byId("check").onclick = () => nextMarked();
  onDirection(showLanguage);
  showLanguage();
}

function showLanguage() {
  body.lang = direction.target;
  body.dir = direction.target ? directionOf(direction.target) : "auto";
}

const indexOf = (node) => Number(node.closest?.("[data-index]")?.dataset.index ?? -1);
const spanOf = (index) => body.querySelector(`[data-index="${index}"]`);

export const view = {
  empty() {
    clear();
    body.replaceChildren();
    byId("target-pane").classList.remove("stale");
  },

  busy(isBusy) {
    byId("target-pane").classList.toggle("stale", isBusy && shown.sentences.length > 0);
    byId("target-pane").setAttribute("aria-busy", String(isBusy));
    byId("bar").hidden = !isBusy;
    if (isBusy) tell(t("translating"));
  },

  failed(error) {
    clear();
    const told = element("div", "", "error");
    told.setAttribute("role", "alert");
    told.append(icon("warning"), spoken(error));
    if (!(error instanceof ServiceError) || error.status >= 500) told.append(button(t("try_again"), () => changed({ now: true })));
    body.replaceChildren(told);
    tell("");
  },

  show(answer, request) {
    clear();
    const sentences = answer.sentences.map((each) => ({ ...each, found: each.target }));
    shown = { sentences, request, parts: cut(answer.translatedText, placesOf(sentences.map((each) => each.target), answer.translatedText)) };
    for (const each of sentences) each.target = wordings.get(keyOf(each)) ?? each.target;
    placeSentences(placesOf(sentences.map((each) => each.source), sourceText()));
    draw();
    tell(t("translated", { count: sentences.length }));
  },

  // A note over the translation, with something that may be done.
  told(text, { text: offer, act } = {}) {
    const note = byId("note");
    note.hidden = !text;
    note.replaceChildren(...(text ? [icon("info"), element("span", text), ...(offer ? [button(offer, act)] : [])] : []));
  },
};

function clear() {
  closeCard();
  shown = { parts: [], sentences: [], request: null };
  lights = NOTHING;
  byId("copy").hidden = byId("check").hidden = true;
}

function draw() {
  body.replaceChildren(...shown.parts.map((part) => (typeof part === "string" ? part : spanFor(part))));
  spanOf(shown.parts.find((part) => typeof part === "number"))?.setAttribute("tabindex", "0");
  byId("copy").hidden = false;
  const marked = shown.sentences.filter((each) => each.warnings.length).length;
  byId("check").hidden = marked === 0;
  byId("check").lastElementChild.textContent = t("to_check", { count: marked });
}

// One sentence is a stop of the Tab key; arrows lead to the others.
function spanFor(index) {
  const sentence = shown.sentences[index];
  const span = element("span", sentence.target, "sentence");
  span.dataset.index = index;
  span.setAttribute("role", "button");
  span.setAttribute("aria-haspopup", "true");
  span.setAttribute("tabindex", "-1");
  const warnings = sentence.warnings.map((each) => t(`warning_${each.kind}`)).join(", ");
  span.classList.toggle("marked", warnings !== "");
  span.classList.toggle("own", sentence.target !== sentence.found);
  span.setAttribute("aria-description", warnings ? `${t("check")}: ${warnings}` : t("alternatives"));
  return span;
}

function press(event) {
  const index = indexOf(event.target);
  if (index < 0) return;
  const spans = [...body.querySelectorAll(".sentence")];
  const at = spans.findIndex((each) => Number(each.dataset.index) === index);
  const forward = body.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const to = { [forward]: at + 1, ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: spans.length - 1 }[event.key]
    ?? (event.key.startsWith("Arrow") ? at - 1 : null);
  if (event.key === "Enter" || event.key === " ") choose(index);
  else if (to !== null && spans[to]) { spans[at].tabIndex = -1; spans[to].tabIndex = 0; spans[to].focus(); }
  else if (to === null) return;
  event.preventDefault();
}

function show(changes) {
  lights = { ...lights, ...changes };
  lightSource(lights);
  for (const each of body.querySelectorAll(".sentence")) showLights(each, lights);
}

export const light = (index) => index !== lights.lit && show({ lit: index });

function choose(index) {
  const sentence = shown.sentences[index];
  const together = shown.sentences.map((each, i) => (i !== index && each.chunk === sentence.chunk ? i : -1)).filter((i) => i >= 0);
  openCard({
    index, sentence, together, request: shown.request,
    count: shown.sentences.length,
    before: together.filter((i) => i < index).map((i) => shown.sentences[i].source).join(" "),
    take: (text) => take(index, text),
    goOn: () => changed({ now: true, known: shown.sentences.slice(0, index + 1).map((each) => each.target) }),
    showContext: (isShown) => show({ context: new Set(isShown ? together : []) }),
    closed: () => { show(NOTHING); spanOf(index)?.focus(); },
  });
  show({ lit: index, chosen: index, context: new Set() });
}

// A person's own wording stays while the sentence and the languages are the same.
function take(index, text) {
  const sentence = shown.sentences[index];
  sentence.target = text;
  if (text === sentence.found) wordings.delete(keyOf(sentence));
  else wordings.set(keyOf(sentence), text);
  const span = spanOf(index);
  span.textContent = text;
  span.classList.toggle("own", text !== sentence.found);
}

function nextMarked() {
  const marked = shown.sentences.map((each, index) => (each.warnings.length && spanOf(index) ? index : -1)).filter((index) => index >= 0);
  const next = marked.find((index) => index > lights.chosen) ?? marked[0];
  if (next === undefined) return;
  spanOf(next).scrollIntoView({ block: "nearest" });
  choose(next);
}

export const targetText = () => shown.parts.map((part) => (typeof part === "string" ? part : shown.sentences[part].target)).join("");

async function copy() {
  const text = targetText();
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
  } else {
    // Browsers have no clipboard for pages of other machines without TLS.
    const field = element("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    byId("copy").focus();
  }
  tell(t("copied"));
  byId("copy").classList.add("did");
  setTimeout(() => byId("copy").classList.remove("did"), 1500);
}
