// What is known of a sentence: its warnings, other wordings, its context, and a person's own wording.

import { button, byId, element, icon } from "./shared.js";
import { alternativesOf } from "./translation.js";
import { directionOf, t } from "./words.js";

const card = byId("card");
let now = null;      // the sentence that is shown
let loading = null;

export function closeCard() {
  loading?.abort();
  card.hidden = true;
  card.replaceChildren();
  now = null;
}

export function openCard(of) {
  closeCard();
  now = of;
  card.hidden = false;
  card.setAttribute("aria-label", t("sentence", { number: of.index + 1, count: String(of.count) }));
  draw();
  card.scrollIntoView({ block: "nearest" });
  card.querySelector("button").focus({ preventScroll: true });
}

card.onkeydown = (event) => {
  if (event.key !== "Escape" || !now) return;
  event.preventDefault();
  close();
};

function close() {
  const { closed } = now;
  closeCard();
  closed();
}

function draw() {
  const { sentence } = now;
  const head = element("div", "", "head");
  const title = element("h2", t("sentence", { number: now.index + 1, count: String(now.count) }));
  const shut = button("", close, { className: "plain", name: "x" });
  shut.setAttribute("aria-label", t("close"));
  head.append(title, shut);
  card.replaceChildren(head, ...warnings(sentence), ...wording(), ...actions(), alternatives());
}

// The button that was pressed is gone, and with it the focus.
function redraw() {
  draw();
  card.querySelector(".actions button").focus();
}

function warnings({ warnings: found }) {
  if (!found.length) return [];
  const list = element("ul", "", "warnings");
  for (const each of found) {
    const item = element("li");
    const detail = element("span", each.detail ? ` (${each.detail})` : "", "detail");
    detail.lang = "en";
    const text = element("span", t(`warning_${each.kind}`));
    text.append(detail);
    item.append(icon("warning"), text);
    list.append(item);
  }
  return [list];
}

function wording() {
  const { sentence, take } = now;
  if (sentence.target === sentence.found) return [];
  const line = element("p", t("yours"), "yours");
  line.append(" ", button(t("undo"), () => { take(sentence.found); redraw(); }, { className: "link" }));
  return [line];
}

function actions() {
  const { together, index, count, goOn, showContext, sentence } = now;
  const line = element("div", "", "actions");
  line.append(button(t("edit"), edit, { name: "edit" }));
  if (together.length) {
    const context = button(t("context"), () => {
      const isShown = context.getAttribute("aria-pressed") !== "true";
      context.setAttribute("aria-pressed", String(isShown));
      told.textContent = isShown ? t("context_is", { count: together.length }) : "";
      showContext(isShown);
    }, { name: "context" });
    context.setAttribute("aria-pressed", "false");
    line.append(context);
  }
  if (sentence.target !== sentence.found && index + 1 < count) line.append(button(t("go_on"), goOn));
  const told = element("p", "", "hint");
  told.setAttribute("role", "status");
  return [line, told];
}

function edit() {
  const { sentence, take, request } = now;
  const field = element("textarea");
  field.value = sentence.target;
  field.rows = Math.max(2, Math.ceil(sentence.target.length / 50));
  field.lang = request.target;
  field.dir = directionOf(request.target);
  field.setAttribute("aria-label", t("edit_label"));
  const keepIt = () => { take(field.value.trim() || sentence.found); redraw(); };
  field.onkeydown = (event) => {
    if (event.key === "Enter") { event.preventDefault(); keepIt(); }
    if (event.key === "Escape") { event.stopPropagation(); redraw(); }
  };
  const line = element("div", "", "actions");
  line.append(button(t("keep"), keepIt, { className: "primary" }), button(t("cancel"), redraw));
  card.replaceChildren(card.querySelector(".head"), field, line);
  field.focus();
}

function alternatives() {
  const place = element("div", "", "alternatives");
  if (now.others) showAlternatives(place, now.others);
  else load(place);
  return place;
}

async function load(place) {
  const { sentence, before, request } = now;
  const own = now;
  loading = new AbortController();
  place.append(element("p", t("alternatives_loading"), "hint"));
  try {
    const texts = await alternativesOf(sentence.source, before, request, loading.signal);
    own.others = [...new Set([sentence.found, ...texts])];
    if (now === own) showAlternatives(place, own.others);
  } catch (error) {
    if (error.name !== "AbortError") place.replaceChildren(element("p", error.message, "hint"));
  }
}

function showAlternatives(place, all) {
  const { sentence, take, request } = now;
  const others = all.filter((text) => text !== sentence.target);
  if (!others.length) return place.replaceChildren(element("p", t("alternatives_none"), "hint"));
  const list = element("ul");
  for (const text of others) {
    const item = element("li");
    const choice = button(text, () => { take(text); redraw(); }, { className: "wording" });
    choice.lang = request.target;
    choice.dir = directionOf(request.target);
    item.append(choice);
    list.append(item);
  }
  place.replaceChildren(element("h3", t("alternatives")), list);
}
