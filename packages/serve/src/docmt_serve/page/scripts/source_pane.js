// The text to translate: a field that grows with the text, over a copy of it in which sentences are marked.

import { direction, onDirection, AUTO } from "./direction.js";
import { askedFor, byId, element, keep, kept, service, tell } from "./shared.js";
import { cut, indexAt } from "./sentences.js";
import { directionOf, number, t } from "./words.js";

const field = byId("source");
const copy = byId("source-copy");
let places = [];
let changed = () => {};
let light = () => {};

export const sourceText = () => field.value;

export function startSource(listeners) {
  ({ changed, light } = listeners);
  field.oninput = () => { forget(); changed(); };
  field.onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); changed({ now: true }); }
  };
  byId("clear").onclick = () => { setSource(""); field.focus(); tell(t("cleared")); };
  document.addEventListener("selectionchange", () => {
    if (document.activeElement === field) light(indexAt(places, field.selectionStart));
  });
  field.onpointermove = ({ clientX, clientY }) => requestAnimationFrame(() => light(indexUnder(clientX, clientY)));
  field.onpointerleave = () => light(document.activeElement === field ? indexAt(places, field.selectionStart) : -1);
  onDirection(showLanguage);
  showLanguage();
  field.value = askedFor("q").q ?? kept("sessionStorage", "text", "");
  forget();
}

export function setSource(text) {
  field.value = text;
  forget();
  changed({ now: true });
}

// Nothing is known of a text that was changed.
function forget() {
  places = [];
  copy.replaceChildren(`${field.value}\n`);
  keep("sessionStorage", "text", field.value);
  byId("clear").hidden = field.value === "";
  const count = [...field.value].length;
  byId("count").textContent = t("count", { count: number(count), limit: number(service.limit) });
  byId("count").classList.toggle("over", count > service.limit);
  byId("panes").dataset.length = count > 2000 ? "long" : count > 300 ? "medium" : "short";
}

function showLanguage() {
  const code = direction.source === AUTO ? direction.detected : direction.source;
  field.lang = copy.lang = code;
  field.dir = copy.dir = code ? directionOf(code) : "auto";
}

// Mark where the sentences of an answer are.
export function placeSentences(found) {
  places = found;
  copy.replaceChildren(...cut(field.value, places).map((part) => {
    if (typeof part === "string") return part;
    const { start, end } = places[part];
    const sentence = element("span", field.value.slice(start, end));
    sentence.dataset.index = part;
    return sentence;
  }), "\n");
}

// Light a sentence, the chosen one, and those that were translated together with it.
export function lightSource({ lit, chosen, context }) {
  for (const each of copy.children) showLights(each, { lit, chosen, context });
}

export function showLights(span, { lit, chosen, context }) {
  const index = Number(span.dataset.index);
  span.classList.toggle("lit", index === lit);
  span.classList.toggle("chosen", index === chosen);
  span.classList.toggle("context", context.has(index));
}

// The sentence at a point: the field takes the pointer, and the copy behind it has the boxes of the sentences.
function indexUnder(x, y) {
  const isThere = ({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom;
  const found = [...copy.children].find((each) => [...each.getClientRects()].some(isThere));
  return found ? Number(found.dataset.index) : -1;
}
