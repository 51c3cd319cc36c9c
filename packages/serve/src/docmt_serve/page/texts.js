// Texts: their sentences beside the translations, to be looked at and edited.

import { answerOf, ask, byId, chosenModel, element, glossary, headers, service, show } from "./shared.js";

const wordsOfWarnings = {
  "too-short": "too short for the source",
  "too-long": "too long for the source",
  "repetition": "repeats itself",
  "copy": "copied from the source",
  "wrong-script": "has characters of another script",
  "other-language": "is in another language",
  "other-sentence": "possibly has text of another sentence",
  "truncated": "cut off at the maximum length",
  "missing-characters": "the source has something that the vocabulary lacks",
  "lost-words": "lacks a word that the vocabulary does not have",
  "numbers": "has other numbers than the source",
  "symbols": "has other symbols, addresses or identifiers than the source",
  "names": "lacks a name of the source",
  "brackets": "has other brackets than the source",
  "sentences": "has other sentences than the source",
  "negation": "is negated, and the source is not, or the other way round",
  "improbable": "is improbable to the system itself",
  "not-translated": "left as in the source",
  "codes": "lacks formatting of the source, or has some twice",
  "terms": "lacks a term that it must have",
};

let asked = null;      // the text and options of the translation that is shown
let running = null;    // aborts the request that is being answered

async function translate(request) {
  running?.abort();
  running = new AbortController();
  const own = running;
  busy(true);
  show("", "Translating …");
  try {
    const response = await ask("translate", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers() },
      body: JSON.stringify({ ...request, sentences: true }),
      signal: own.signal,
    });
    const answer = await answerOf(response);
    asked = request;
    showSentences(answer.sentences, answer.translatedText, request);
    show("", `${answer.sentences.length} ${answer.sentences.length === 1 ? "sentence" : "sentences"} translated.`);
  } catch (error) {
    if (error.name === "AbortError") show("", "Cancelled.");
    else show(error.message);
  } finally {
    if (running === own) {
      busy(false);
      // A button that was disabled has lost the focus.
      if (document.activeElement === document.body) byId("translate").focus();
    }
  }
}

function busy(isBusy) {
  byId("translate").disabled = isBusy;
  byId("cancel").hidden = !isBusy;
  for (const button of document.querySelectorAll("#sentences button")) button.disabled = isBusy;
}

function showSentences(pairs, text, request) {
  const model = service.models.find((each) => each.name === request.model);
  byId("source-name").textContent = model.sourceName;
  byId("target-name").textContent = model.targetName;
  const rows = pairs.map((pair, index) => rowOf(pair, index, model));
  byId("sentences").replaceChildren(...rows);
  byId("result").hidden = false;
  byId("copy").onclick = () => copy(text, "Copied.");
}

async function copy(text, status) {
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
  show("", status);
}

function rowOf(pair, index, model) {
  const row = document.createElement("tr");
  row.dataset.chunk = pair.chunk;
  row.dataset.target = pair.target;
  const source = element("td", pair.source);
  source.lang = model.source;
  source.dir = "auto";
  const target = element("td");
  const text = element("span", pair.target, "target");
  text.lang = model.target;
  text.dir = "auto";
  target.append(text);
  for (const warning of pair.warnings) {
    const words = wordsOfWarnings[warning.kind] ?? warning.kind;
    target.append(element("span", `Check: ${words} (${warning.detail})`, "warning"));
  }
  const actions = element("div", "", "actions");
  const context = element("button", "Context");
  context.type = "button";
  context.setAttribute("aria-pressed", "false");
  context.setAttribute("aria-label", `Show the context of sentence ${index + 1}`);
  const edit = element("button", "Edit");
  edit.type = "button";
  edit.setAttribute("aria-label", `Edit the translation of sentence ${index + 1}`);
  edit.onclick = (event) => { event.stopPropagation(); editTarget(row, index, model); };
  context.onclick = (event) => { event.stopPropagation(); choose(row, true); };
  actions.append(context, edit);
  target.append(actions);
  row.append(source, target);
  row.onclick = () => choose(row, false);
  return row;
}

function choose(row, withContext) {
  const was = row.classList.contains("chosen") && row.dataset.shown === String(withContext);
  let members = 0;
  for (const each of byId("sentences").rows) {
    const isContext = !was && withContext && each !== row && each.dataset.chunk === row.dataset.chunk;
    each.classList.toggle("chosen", !was && each === row);
    each.classList.toggle("context", isContext);
    each.querySelector("button")?.setAttribute("aria-pressed", String(!was && withContext && each === row));
    members += isContext;
  }
  row.dataset.shown = String(withContext);
  if (withContext && !was) show("", `Translated together with ${members} other ${members === 1 ? "sentence" : "sentences"}.`);
}

function editTarget(row, index, model) {
  const cell = row.cells[1];
  const field = element("textarea", row.dataset.target);
  field.value = row.dataset.target;
  field.lang = model.target;
  field.setAttribute("aria-label", `Translation of sentence ${index + 1}`);
  const again = element("button", "Translate what follows");
  again.type = "button";
  const rows = [...byId("sentences").rows];
  again.hidden = index + 1 === rows.length;
  const keep = element("button", "Keep");
  keep.type = "button";
  const stop = element("button", "Undo");
  stop.type = "button";
  const actions = element("div", "", "editing");
  actions.append(again, keep, stop);
  const before = [...cell.childNodes];
  const restore = () => { cell.replaceChildren(...before); cell.querySelector("button:last-of-type")?.focus(); };
  keep.onclick = (event) => {
    event.stopPropagation();
    row.dataset.target = field.value;
    restore();
    cell.querySelector(".target").textContent = field.value;
    byId("copy").onclick = () =>
      copy(rows.map((each) => each.dataset.target).join("\n"), "Copied, a sentence a line.");
  };
  stop.onclick = (event) => { event.stopPropagation(); restore(); };
  again.onclick = (event) => {
    event.stopPropagation();
    row.dataset.target = field.value;
    const known = rows.slice(0, index + 1).map((each) => each.dataset.target);
    translate({ ...asked, known });
  };
  field.onclick = (event) => event.stopPropagation();
  field.onkeydown = (event) => { if (event.key === "Escape") { restore(); } };
  cell.replaceChildren(field, actions);
  field.focus();
}

byId("text-form").onsubmit = (event) => {
  event.preventDefault();
  const model = chosenModel();
  if (!byId("text").value.trim()) {
    show("Enter a text.");
    byId("text").focus();
    return;
  }
  translate({
    q: byId("text").value,
    source: model.source,
    target: model.target,
    model: model.name,
    glossary: glossary(),
    consistent: byId("consistent").checked,
  });
};
byId("cancel").onclick = () => running?.abort();
byId("text").onkeydown = (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("text-form").requestSubmit();
};
