// Files that are chosen or dropped, with a glossary and a memory for each, until they are sent.

import { keep, kept, watch } from "./jobs.js";
import { answerOf, ask, byId, chosenModel, element, glossary, headers, show } from "./shared.js";

const OF_FIELD = "/";      // the glossary of the field of the texts; no file has this name
const glossaries = new Map();
let memories = [];
let waiting = [];           // {file, item}
const latest = { glossary: OF_FIELD, memory: "" };   // for files that are still to be chosen

function add(files) {
  for (const file of files) {
    const item = byId("chosen-template").content.cloneNode(true).querySelector("li");
    item.querySelector(".name").textContent = file.name;
    for (const [name, noun] of [["glossary", "Glossary of"], ["memory", "Memory of"], ["remove", "Remove"]]) {
      item.querySelector(`.${name}`).setAttribute("aria-label", `${noun} ${file.name}`);
    }
    const entry = { file, item };
    item.querySelector(".remove").onclick = () => { remove(entry); byId("file").focus(); };
    waiting.push(entry);
    byId("chosen").append(item);
  }
  showChoices();
}

function remove(entry) {
  waiting = waiting.filter((each) => each !== entry);
  entry.item.remove();
  showChoices();
}

// The glossaries and memories of each file. What is chosen stays chosen, unless a new one is there for all.
function showChoices(added = {}) {
  Object.assign(latest, added);
  const model = chosenModel();
  const fitting = memories.filter((memory) => sameLanguage(memory.source, model.source) && sameLanguage(memory.target, model.target));
  const choices = {
    glossary: [["", "none"], [OF_FIELD, "the field above"], ...[...glossaries.keys()].map((name) => [name, name])],
    memory: [["", "none"], ...fitting.map((memory) => [memory.id, `${memory.name} (${memory.units.toLocaleString()})`])],
  };
  for (const { item } of waiting) {
    for (const [name, options] of Object.entries(choices)) {
      const select = item.querySelector(`select.${name}`);
      const value = added[name] ?? (select.options.length ? select.value : latest[name]);
      select.replaceChildren(...options.map(([key, text]) => {
        const option = element("option", text);
        option.value = key;
        option.selected = key === value;
        return option;
      }));
    }
  }
  byId("send").disabled = waiting.length === 0;
  byId("send").textContent = waiting.length > 1 ? `Translate ${waiting.length} files` : "Translate file";
}

const sameLanguage = (one, other) => one.split("-")[0].toLowerCase() === other.split("-")[0].toLowerCase();

function termsOf(choice) {
  return choice === OF_FIELD ? glossary() : glossaries.get(choice) ?? "";
}

async function send({ file, item }) {
  const model = chosenModel();
  const values = new FormData();
  values.append("file", file);
  values.append("source", model.source);
  values.append("target", model.target);
  values.append("model", model.name);
  values.append("file_format", byId("format").value);
  values.append("output", byId("output").value);
  values.append("consistent", String(byId("consistent").checked));
  values.append("glossary", termsOf(item.querySelector("select.glossary").value));
  values.append("memory", item.querySelector("select.memory").value);
  const job = await answerOf(await ask("jobs", { method: "POST", headers: headers(), body: values }));
  watch(job);
  keep([...kept(), job.id]);
}

// A file that the service refuses stays in the list, with the reason; the others are sent.
byId("file-form").onsubmit = async (event) => {
  event.preventDefault();
  byId("send").disabled = true;
  show("", "Uploading …");
  const problems = [];
  for (const entry of [...waiting]) {
    try {
      await send(entry);
      remove(entry);
    } catch (error) {
      problems.push(`${entry.file.name}: ${error.message}`);
    }
  }
  showChoices();
  show(problems.join(" "));
};

byId("file").onchange = (event) => {
  add(event.target.files);
  event.target.value = "";
};

byId("model").addEventListener("change", () => showChoices());

byId("add-glossary").onchange = async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  glossaries.set(file.name, await file.text());
  event.target.value = "";
  showChoices({ glossary: file.name });
  show("", `${file.name} is the glossary of these files.`);
};

byId("add-memory").onchange = async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  const { source, target } = chosenModel();
  const values = new FormData();
  for (const [name, value] of Object.entries({ file, source, target })) values.append(name, value);
  event.target.value = "";
  show("", `Reading ${file.name} …`);
  try {
    const added = await answerOf(await ask("memories", { method: "POST", headers: headers(), body: values }));
    await offerFiles({ memory: added.id });
    show("", `${file.name} is the memory of these files. ${added.message}`);
  } catch (error) {
    show(`${file.name}: ${error.message}`);
  }
};

// Files may be dropped anywhere: a browser would leave the page to show one that misses a small target.
const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
for (const kind of ["dragover", "drop", "dragleave"]) {
  document.addEventListener(kind, (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    byId("files").classList.toggle("over", kind === "dragover");
    if (kind === "drop") addDropped([...event.dataTransfer.items].filter((item) => item.kind === "file"));
  });
}

const isFolder = (item) => item.webkitGetAsEntry()?.isDirectory ?? false;

function addDropped(items) {
  const hasFolder = items.some(isFolder);
  add(items.filter((item) => !isFolder(item)).map((item) => item.getAsFile()));
  if (hasFolder) show("A folder cannot be sent; choose the files in it.");
}

// Show the memories of the account. Without a key that is needed there are none.
export async function offerFiles(added) {
  const response = await ask("memories", { headers: headers() });
  memories = response.ok ? await response.json() : [];
  showChoices(added);
}
