// The page of the service. Everything that comes from elsewhere is inserted as text, never as markup.

const byId = (id) => document.getElementById(id);
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
  "symbols": "has other symbols or addresses than the source",
  "names": "lacks a name of the source",
  "improbable": "is improbable to the system itself",
  "not-translated": "left as in the source",
  "codes": "lacks formatting of the source, or has some twice",
  "terms": "lacks a term that it must have",
};

let models = [];
let asked = null;      // the text and options of the translation that is shown
let running = null;    // aborts the request that is being answered

function chosenModel() {
  return models[byId("model").selectedIndex];
}

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text ?? "";
  if (className) made.className = className;
  return made;
}

function headers() {
  const key = byId("key").value;
  return key ? { Authorization: `Bearer ${key}` } : {};
}

// A request; what a browser says of one that nobody answers is no help.
async function ask(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error("The service does not answer.");
  }
}

async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `the service answered ${response.status}`);
  return body;
}

function show(message, status = "") {
  byId("message").textContent = message;
  byId("status").textContent = status;
}

async function start() {
  const settings = await answerOf(await ask("frontend/settings"));
  models = await answerOf(await ask("models"));
  for (const model of models) {
    const names = `${model.sourceName} → ${model.targetName}`;
    const several = models.filter((m) => m.source === model.source && m.target === model.target);
    byId("model").append(element("option", several.length > 1 ? `${names} (${model.name})` : names));
  }
  byId("key-label").hidden = !settings.keyRequired;
  byId("limit").textContent = `At most ${settings.charLimit.toLocaleString()} characters; files may be longer.`;
  byId("file").accept = settings.supportedFilesFormat.join(",");
}

// Texts

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
  for (const button of document.querySelectorAll(".actions button")) button.disabled = isBusy;
}

function glossary() {
  return byId("glossary").value.split("\n").map((line) => line.replace(/\s+=\s+/, "\t")).join("\n");
}

function showSentences(pairs, text, request) {
  const model = models.find((each) => each.name === request.model);
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
  const actions = element("div", "", "actions");
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
byId("key").onchange = () => watchKept().catch((error) => show(error.message));
byId("cancel").onclick = () => running?.abort();
byId("text").onkeydown = (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("text-form").requestSubmit();
};

// Files

byId("file-form").onsubmit = async (event) => {
  event.preventDefault();
  const model = chosenModel();
  const values = new FormData();
  values.append("file", byId("file").files[0]);
  values.append("source", model.source);
  values.append("target", model.target);
  values.append("model", model.name);
  values.append("file_format", byId("format").value);
  values.append("output", byId("output").value);
  values.append("consistent", String(byId("consistent").checked));
  values.append("glossary", glossary());
  show("", "Uploading …");
  try {
    const response = await ask("jobs", { method: "POST", headers: headers(), body: values });
    const job = await answerOf(response);
    watch(job);
    keep([...kept(), job.id]);
    event.target.reset();
    show("");
  } catch (error) {
    show(error.message);
  }
};

// The files of this tab are still there when the page is loaded again.
// Browsers that keep nothing refuse to.
function kept() {
  try { return JSON.parse(sessionStorage.getItem("jobs")) ?? []; } catch { return []; }
}

function keep(ids) {
  try { sessionStorage.setItem("jobs", JSON.stringify(ids)); } catch { /* not kept */ }
}

const watched = new Set();

// Files that need a key are kept until it is entered.
async function watchKept() {
  const found = [];
  for (const id of kept()) {
    if (!watched.has(id)) {
      const response = await ask(`jobs/${id}`, { headers: headers() });
      if (response.ok) watch(await response.json());
      else if (response.status !== 403) continue;
    }
    found.push(id);
  }
  keep(found);
}

function watch(job) {
  watched.add(job.id);
  const item = byId("job-template").content.cloneNode(true).querySelector("li");
  item.querySelector(".name").textContent = job.file;
  item.querySelector("progress").setAttribute("aria-label", `Progress of ${job.file}`);
  item.querySelector(".cancel").setAttribute("aria-label", `Cancel ${job.file}`);
  byId("jobs").prepend(item);
  const following = new AbortController();
  item.querySelector(".cancel").onclick = async () => {
    following.abort();
    await fetch(`jobs/${job.id}`, { method: "DELETE", headers: headers() });
    update(item, { ...job, status: "cancelled" });
  };
  follow(job, item, following.signal);
}

const hasEnded = (job) => ["done", "error", "cancelled"].includes(job.status);

// Show the states of a file until the end. An EventSource cannot send a key.
async function follow(job, item, signal) {
  while (!signal.aborted) {
    try {
      const response = await fetch(`jobs/${job.id}/events`, { headers: headers(), signal });
      if (response.status === 404) return update(item, { ...job, status: "cancelled" });
      for await (const state of statesOf(response)) {
        update(item, state);
        if (hasEnded(state)) return;
      }
    } catch { /* the connection is lost, or the file is cancelled */ }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

// The data of server-sent events.
async function* statesOf(response) {
  if (!response.ok) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (text + part.value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data) yield JSON.parse(data.slice("data: ".length));
    }
  }
}

// A link cannot send a key.
async function download(event, job) {
  if (!byId("key").value) return;
  event.preventDefault();
  const response = await ask(`jobs/${job.id}/result`, { headers: headers() });
  if (!response.ok) return show(`The service answered ${response.status}.`);
  const link = element("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = job.output;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// A message with the choices of the page in place of the values of a request.
function inPage(message) {
  const options = [...byId("format").options];
  return message.replace(/\badd `file_format=([\w-]+)`/g, (added, name) => {
    const option = options.find((each) => each.value === name);
    return option ? `choose “${option.text}” under “Read as”` : added;
  });
}

function update(item, job) {
  const progress = item.querySelector("progress");
  if (job.total) { progress.max = job.total; progress.value = job.sentences; }
  const counts = job.total ? `: ${job.sentences} of ${job.total} sentences` : "";
  item.querySelector(".state").textContent = `${job.status}${counts}`;
  if (!hasEnded(job)) return;
  progress.hidden = true;
  item.querySelector(".cancel").hidden = true;
  if (job.status === "done") {
    const link = item.querySelector(".download");
    link.href = `jobs/${job.id}/result`;
    link.onclick = (event) => download(event, job);
    link.setAttribute("aria-label", `Download the translation of ${job.file}`);
    link.hidden = false;
  }
  const notes = inPage(job.message ?? "").split("\n").filter(Boolean).map((note) => element("li", note));
  item.querySelector(".notes").replaceChildren(...notes);
}

start().then(watchKept).catch((error) => show(error.message));
