// Files that are sent: their progress, their translations, and the sentences to look at.

import { ask, byId, element, headers, service, show } from "./shared.js";

// The files of this tab are still there when the page is loaded again.
// Browsers that keep nothing refuse to.
export function kept() {
  try { return JSON.parse(sessionStorage.getItem("jobs")) ?? []; } catch { return []; }
}

export function keep(ids) {
  try { sessionStorage.setItem("jobs", JSON.stringify(ids)); } catch { /* not kept */ }
}

const watched = new Set();

// Files that need a key are kept until it is entered.
export async function watchKept() {
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

export function watch(job) {
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
  showMarked(item, job);
  const notes = inPage(job.message ?? "").split("\n").filter(Boolean).map((note) => element("li", note));
  item.querySelector(".notes").replaceChildren(...notes);
}

// The sentences to look at, with the place of each in the file.
function showMarked(item, job) {
  const model = service.models.find((each) => each.name === job.model);
  const list = item.querySelector(".marked");
  list.hidden = job.marks === 0;
  const more = job.marks > job.marked.length ? `, the first ${job.marked.length} of them here` : "";
  list.querySelector("summary").textContent =
    `${job.marks.toLocaleString()} ${job.marks === 1 ? "sentence" : "sentences"} to look at in ${job.file}${more}`;
  list.querySelector("ul").replaceChildren(...job.marked.map((marked) => {
    const entry = element("li");
    const source = element("span", marked.source, "source");
    source.lang = model?.source ?? "";
    const target = element("span", marked.target, "target");
    target.lang = model?.target ?? "";
    source.dir = target.dir = "auto";
    entry.append(element("strong", marked.place), element("span", marked.warning, "warning"), source, target);
    return entry;
  }));
}
