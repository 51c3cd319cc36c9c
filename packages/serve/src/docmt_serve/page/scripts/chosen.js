// Files that are chosen or dropped, until they are sent.

import { AUTO, direction, sameLanguage } from "./direction.js";
import { keepJob, watch } from "./jobs.js";
import { answerOf, ask, byId, element, ofTemplate, service, spoken, tell, tellError } from "./shared.js";
import { glossary } from "./translation.js";
import { duration, nameHere, size, t } from "./words.js";

const FORMATS = [
  ["", "by_name"], ["text", "plain_text"], ["html", "HTML"], ["markdown", "Markdown"], ["json", "JSON"], ["po", "PO"],
  ["subrip", "SubRip"], ["webvtt", "WebVTT"],
];

let waiting = [];      // {file, item}
let memories = [];

export function startFiles({ supportedFilesFormat, fileLimit, keepFiles }) {
  byId("kinds").textContent = t("kinds", { size: size(fileLimit) });
  byId("formats").textContent = [...new Set(supportedFilesFormat)].sort().join("  ");
  byId("sent").append(element("p", t("kept_for", { time: duration(keepFiles) }), "hint"));
  byId("format").replaceChildren(...FORMATS.map(([value, name]) => {
    const option = element("option", /^[A-Z]/.test(name) ? name : t(name));
    option.value = value;
    return option;
  }));
  byId("file").onchange = (event) => { add([...event.target.files]); event.target.value = ""; };
  byId("file-form").onsubmit = (event) => { event.preventDefault(); send(); };
  byId("memory-file").onchange = addMemory;
  for (const kind of ["dragenter", "dragover", "drop", "dragleave"]) document.addEventListener(kind, drag);
}

function add(files) {
  for (const file of files) {
    const item = ofTemplate("chosen-template");
    item.querySelector(".name").textContent = file.name;
    item.querySelector(".size").textContent = size(file.size);
    const entry = { file, item };
    const off = item.querySelector(".remove");
    off.setAttribute("aria-label", t("remove_file", { file: file.name }));
    off.onclick = () => { remove(entry); byId("file").focus(); };
    waiting.push(entry);
    byId("chosen").append(item);
  }
  if (files.length) byId("files-tab").click();
  showFileChoices();
}

function remove(entry) {
  waiting = waiting.filter((each) => each !== entry);
  entry.item.remove();
  showFileChoices();
}

// What may be chosen for the files: memories of these languages, and how they are read.
export function showFileChoices() {
  byId("file-choices").hidden = waiting.length === 0;
  byId("send").textContent = t("translate_files", { count: waiting.length });
  byId("send").disabled = waiting.length === 0 || !direction.target;
  const { source, target } = direction;
  const fitting = memories.filter((each) => (source === AUTO || sameLanguage(each.source, source)) && sameLanguage(each.target, target));
  const select = byId("memory"), chosen = select.value;
  const none = element("option", t("none"));
  none.value = "";
  select.replaceChildren(none, ...fitting.map(({ id, name }) => {
    const option = element("option", name);
    option.value = id;
    return option;
  }));
  if (fitting.some(({ id }) => id === chosen)) select.value = chosen;
}

function valuesOf(file) {
  const { source, target } = direction;
  const values = new FormData();
  const all = {
    file, source, target,
    file_format: byId("format").value,
    output: byId("output").value,
    consistent: String(byId("consistent").checked),
    glossary: glossary(),
    memory: byId("memory").value,
  };
  if (!byId("model-field").hidden) all.model = byId("model").value;
  for (const [name, value] of Object.entries(all)) values.append(name, value);
  return values;
}

// A file that the service refuses stays in the list, with the reason; the others are sent.
async function send() {
  byId("send").disabled = true;
  tell(t("uploading"));
  for (const entry of [...waiting]) {
    try {
      const job = await answerOf(await ask("jobs", { method: "POST", body: valuesOf(entry.file) }));
      keepJob(job.id);
      watch(job);
      remove(entry);
    } catch (error) {
      const problem = entry.item.querySelector(".problem");
      problem.replaceChildren(spoken(error));
      problem.hidden = false;
    }
  }
  tell();
  showFileChoices();
  if (document.activeElement === document.body) byId("file").focus();
}

async function addMemory(event) {
  const [file] = event.target.files;
  if (!file) return;
  const source = direction.source === AUTO ? direction.detected || service.models[0].source : direction.source;
  const values = new FormData();
  for (const [name, value] of Object.entries({ file, source, target: direction.target })) values.append(name, value);
  event.target.value = "";
  tell(t("memory_reading", { file: file.name }));
  try {
    const added = await answerOf(await ask("memories", { method: "POST", body: values }));
    await offerMemories();
    byId("memory").value = added.id;
    tell(t("memory_read", { file: file.name }));
  } catch (error) {
    tell();
    tellError(error);
  }
}

// The memories of the account. Without a key that is needed there are none.
export async function offerMemories() {
  const response = await ask("memories");
  memories = response.ok ? await response.json() : [];
  showFileChoices();
}

// Files may be dropped anywhere: a browser would leave the page to show one that misses a small target.
function drag(event) {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  const isOver = event.type === "dragenter" || event.type === "dragover";
  const hasLeft = event.type === "dragleave" && event.relatedTarget !== null;   // for a part of the page
  if (hasLeft) return;
  byId("overlay").hidden = !isOver;
  const { source, target } = direction;
  byId("overlay-text").textContent = t("drop_here", { source: source === AUTO ? t("detect") : nameHere(source), target: nameHere(target) });
  if (event.type === "drop") addDropped([...event.dataTransfer.items].filter((item) => item.kind === "file"));
}

const isFolder = (item) => item.webkitGetAsEntry()?.isDirectory ?? false;

function addDropped(items) {
  const hasFolder = items.some(isFolder);
  add(items.filter((item) => !isFolder(item)).map((item) => item.getAsFile()));
  tellError(hasFolder ? new Error(t("folder")) : null);
}
