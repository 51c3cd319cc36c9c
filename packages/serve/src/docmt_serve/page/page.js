// The page of the service: what it can do, and its parts.

import { offerFiles } from "./chosen.js";
import { watchKept } from "./jobs.js";
import { offerPairs } from "./pairs.js";
import { answerOf, ask, byId, element, service, show } from "./shared.js";
import "./texts.js";

async function start() {
  const settings = await answerOf(await ask("frontend/settings"));
  byId("key-label").hidden = !settings.keyRequired;
  byId("limit").textContent = `At most ${settings.charLimit.toLocaleString()} characters; files may be longer.`;
  byId("file").accept = settings.supportedFilesFormat.join(",");
  await showModels();
  await withKey();
}

// The pairs that can be translated. The chosen one stays chosen.
async function showModels() {
  const chosen = service.models[byId("model").selectedIndex]?.name;
  service.models = await answerOf(await ask("models"));
  byId("model").replaceChildren(...service.models.map((model) => {
    const names = `${model.sourceName} → ${model.targetName}`;
    const several = service.models.filter((m) => m.source === model.source && m.target === model.target);
    const option = element("option", several.length > 1 ? `${names} (${model.name})` : names);
    option.selected = model.name === chosen;
    return option;
  }));
}

// What needs a key, where one is needed.
async function withKey() {
  await offerFiles();
  await offerPairs(showModels);
  await watchKept();
}

const told = (error) => show(error.message);
byId("key").onchange = () => withKey().catch(told);
start().catch(told);
