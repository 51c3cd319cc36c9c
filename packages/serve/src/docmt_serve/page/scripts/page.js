// The page of the service: what it can do, and its parts.

import { startFiles, showFileChoices, offerMemories } from "./chosen.js";
import { AUTO, allSources, allTargets, chooseSource, chooseTarget, direction, meansSwap, modelsOf, onDirection, startDirection, swap, swapped } from "./direction.js";
import { watchKept } from "./jobs.js";
import { LanguagePicker } from "./language_picker.js";
import { offerModels } from "./models.js";
import { answerOf, ask, byId, element, keep, kept, service, tell, tellError } from "./shared.js";
import { setSource, sourceText, startSource } from "./source_pane.js";
import { light, startTarget, targetText, view } from "./target_pane.js";
import { changed, startTranslation } from "./translation.js";
import { loadWords, ownName, nameHere, t } from "./words.js";

async function start() {
  await loadWords();
  document.body.hidden = false;
  const settings = await answerOf(await ask("frontend/settings"));
  service.limit = settings.charLimit;
  byId("key-field").hidden = !settings.keyRequired;
  byId("file").accept = settings.supportedFilesFormat.join(",");
  startViews();
  startOptions();
  startLanguages();
  startTarget();
  startSource({ changed, light });
  startTranslation({ text: sourceText, shows: view });
  startFiles(settings);
  await loadModels();
  changed({ now: true });
  await withKey();
}

// The models that there are now. What is chosen stays chosen.
async function loadModels() {
  service.models = await answerOf(await ask("models"));
  startDirection();
  const isEmpty = service.models.length === 0;
  byId("no-model").hidden = !isEmpty;
  byId("work").hidden = isEmpty;
}

// What needs a key, where one is needed.
async function withKey() {
  await offerMemories();
  await offerModels(loadModels);
  await watchKept();
}

// Two views, of a text and of files: tabs, with the arrow keys between them.
function startViews() {
  const tabs = [byId("text-tab"), byId("files-tab")];
  const show = (tab, isFocused) => {
    for (const each of tabs) {
      const isShown = each === tab;
      each.setAttribute("aria-selected", String(isShown));
      each.tabIndex = isShown ? 0 : -1;
      byId(each.getAttribute("aria-controls")).hidden = !isShown;
    }
    keep("sessionStorage", "view", tab.id);
    if (isFocused) tab.focus();
  };
  for (const tab of tabs) {
    tab.onclick = () => show(tab);
    tab.onkeydown = (event) => {
      if (event.key.startsWith("Arrow")) show(tabs[1 - tabs.indexOf(tab)], true);
    };
  }
  show(byId(kept("sessionStorage", "view", "text-tab")) ?? tabs[0]);
}

function startLanguages() {
  const choose = (side, take) => (code) => (meansSwap(side, code) ? swapWithText() : take(code));
  new LanguagePicker("source", {
    codes: allSources, chosen: () => direction.source, choose: choose("source", chooseSource),
    first: { code: AUTO, text: t("detect") },
  });
  new LanguagePicker("target", {
    codes: allTargets, chosen: () => direction.target, choose: choose("target", chooseTarget),
  });
  byId("swap").onclick = swapWithText;
  onDirection(showDirection);
}

function swapWithText() {
  const text = targetText();
  swap();
  if (text) setSource(text);
}

function showDirection() {
  const { source, target, detected } = direction;
  const named = detected ? t("detected", { language: nameHere(detected) }) : t("detect");
  showName("source", source === AUTO ? named : ownName(source), source === AUTO ? "" : source);
  showName("target", target ? ownName(target) : t("choose_language"), target);
  byId("swap").disabled = swapped() === null;
  const models = modelsOf(source === AUTO ? detected : source, target);
  const select = byId("model"), chosen = select.value;
  select.replaceChildren(...models.map((model) => element("option", model.name)));
  if (models.some((model) => model.name === chosen)) select.value = chosen;
  byId("model-field").hidden = models.length < 2;
  showFileChoices();
}

function showName(side, name, code) {
  const label = byId(`${side}-language`).querySelector(".name");
  label.textContent = name;
  label.lang = code;
  byId(`${side}-language`).setAttribute("aria-label", `${t(`${side}_language`)}: ${name}`);
}

// The glossary and the other choices stay for as long as the tab is open.
function startOptions() {
  const glossary = byId("glossary");
  glossary.value = kept("sessionStorage", "glossary", "");
  byId("consistent").checked = kept("sessionStorage", "consistent", false);
  byId("options").open = glossary.value !== "" || byId("consistent").checked;
  glossary.addEventListener("change", () => keep("sessionStorage", "glossary", glossary.value));
  byId("consistent").addEventListener("change", (event) => keep("sessionStorage", "consistent", event.target.checked));
  byId("glossary-file").onchange = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    glossary.value = await file.text();
    event.target.value = "";
    glossary.dispatchEvent(new Event("change"));
    tell(t("glossary_read", { file: file.name }));
  };
  byId("key").onchange = () => withKey().then(() => changed({ now: true })).catch(tellError);
}

start().catch((error) => { document.body.hidden = false; tellError(error); });
