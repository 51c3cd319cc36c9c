// Pairs of languages whose models can be got, where the operator allows it.

import { answerOf, ask, byId, element, headers, show } from "./shared.js";

let available = [];

// List the pairs that are not here. A pair that is being got shows its progress until it can be chosen.
export async function offerPairs(showModels) {
  const response = await ask("models/available", { headers: headers() });
  available = response.ok ? await response.json() : [];
  byId("more").hidden = available.length === 0;
  const select = byId("pair"), chosen = select.value;
  select.replaceChildren(...available.map((each) => {
    const option = element("option", `${each.sourceName} → ${each.targetName} (${megabytes(each.size)})`);
    option.value = each.pair;
    option.selected = each.pair === chosen;
    return option;
  }));
  byId("get").onclick = () => get(select.value, showModels).catch((error) => show(error.message));
}

const megabytes = (bytes) => bytes ? `${Math.ceil(bytes / 1e6)} MB` : "size unknown";

async function get(pair, showModels) {
  byId("get").disabled = true;
  try {
    const options = { method: "POST", headers: { "Content-Type": "application/json", ...headers() } };
    await answerOf(await ask("models", { ...options, body: JSON.stringify({ pair }) }));
    await until(pair);
    await showModels();
    await offerPairs(showModels);
    show("", `${pair} can be translated now.`);
  } finally {
    byId("get").disabled = false;
  }
}

// Wait until a pair is here, or fails.
async function until(pair) {
  for (;;) {
    const pairs = await answerOf(await ask("models/available", { headers: headers() }));
    const own = pairs.find((each) => each.pair === pair);
    if (!own) return;
    if (own.error) throw new Error(own.error);
    const share = own.size ? ` ${Math.min(100, Math.floor(100 * own.received / own.size))} %` : "";
    show("", `Getting ${pair} …${share}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
