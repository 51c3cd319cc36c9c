// Models of further languages, which people may get where the operator allows it.

import { answerOf, ask, askJson, byId, element, button, ofTemplate, pause, tell, tellError } from "./shared.js";
import { nameHere, percent, size, t } from "./words.js";

const dialog = byId("models");
let available = [];
let loadModels = async () => {};
const getting = new Set();
const openers = document.querySelectorAll(".picker .more, #get-languages");
for (const opener of openers) opener.addEventListener("click", open);
byId("models-search").oninput = list;
byId("models-close").onclick = () => dialog.close();

// Offer the pairs that are not here yet; where none may be got, say how the operator gets them.
export async function offerModels(load) {
  loadModels = load;
  await refresh();
  for (const opener of openers) opener.hidden = available.length === 0;
  byId("get-here").hidden = available.length === 0;
  byId("get-there").hidden = available.length > 0;
  for (const each of available) if (each.received !== undefined) follow(each.pair).catch(tellError);
}

async function refresh() {
  const response = await ask("models/available");
  available = response.ok ? await response.json() : [];
}

function open() {
  if (dialog.open) return;
  byId("models-search").value = "";
  list();
  dialog.showModal();
  byId("models-search").focus();
}

// A pair may be named by either code, or by the names of its languages.
const nameOf = ({ pair, sourceName, targetName }) => {
  const [source, target] = pair.replaceAll("_", "-").split("-").length === 2 ? pair.split("-") : [];
  return source ? `${nameHere(source)} → ${nameHere(target)}` : `${sourceName} → ${targetName}`;
};

function list() {
  const wanted = byId("models-search").value.trim().toLowerCase();
  const found = available
    .map((each) => ({ ...each, name: nameOf(each) }))
    .filter(({ name, pair, sourceName, targetName }) => `${name} ${pair} ${sourceName} ${targetName}`.toLowerCase().includes(wanted))
    .sort((one, other) => one.name.localeCompare(other.name));
  byId("models-list").replaceChildren(...found.map(itemOf));
  byId("models-none").hidden = found.length > 0;
}

function itemOf({ pair, name, size: bytes, received, error }) {
  const item = ofTemplate("pair-template");
  item.dataset.pair = pair;
  item.querySelector(".name").textContent = name;
  item.querySelector(".size").textContent = bytes ? size(bytes) : t("size_unknown");
  item.querySelector(".problem").textContent = error;
  const bar = item.querySelector("progress"), get = item.querySelector("button");
  const isUnderWay = getting.has(pair) || received !== undefined;
  bar.hidden = !isUnderWay;
  get.hidden = isUnderWay;
  bar.setAttribute("aria-label", name);
  if (bytes) { bar.max = bytes; bar.value = received ?? 0; }
  get.setAttribute("aria-label", t("get_pair", { pair: name }));
  get.onclick = () => start(pair).catch(tellError);
  return item;
}

async function start(pair) {
  getting.add(pair);
  list();
  byId("models-search").focus();
  try {
    await answerOf(await askJson("models", { pair }));
    await follow(pair);
  } finally {
    getting.delete(pair);
    list();
  }
}

// Show the progress of a pair until it is here, or fails.
async function follow(pair) {
  const name = nameOf(available.find((each) => each.pair === pair));
  for (;;) {
    await refresh();
    const own = available.find((each) => each.pair === pair);
    if (!own) break;
    if (own.received === undefined && own.error) { getting.delete(pair); list(); return tell(`${name}: ${own.error}`); }
    const bar = byId("models-list").querySelector(`[data-pair="${pair}"] progress`);
    if (bar && own.size) bar.value = own.received ?? 0;
    tell(t("getting", { pair: name, percent: percent(own.size ? Math.min(1, (own.received ?? 0) / own.size) : 0), size: size(own.size) }));
    await pause(500);
  }
  await loadModels();
  list();
  tell(t("got", { pair: name }));
}
