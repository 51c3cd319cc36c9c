// Files that are sent: how far they are, their translations, and the sentences to review.

import { languagesOf } from "./direction.js";
import { ask, byId, element, icon, keep, kept, ofTemplate, pause, ServiceError, tellError } from "./shared.js";
import { directionOf, duration, nameHere, number, t } from "./words.js";

// The files of this tab are still there when the page is loaded again.
const keptJobs = () => kept("sessionStorage", "jobs", []);
export const keepJob = (id) => keep("sessionStorage", "jobs", [...keptJobs(), id]);
const forgetJob = (id) => keep("sessionStorage", "jobs", keptJobs().filter((each) => each !== id));

const watched = new Set();

// Files that need a key are kept until it is entered.
export async function watchKept() {
  for (const id of keptJobs()) {
    if (watched.has(id)) continue;
    const response = await ask(`jobs/${id}`);
    if (response.ok) watch(await response.json());
    else if (response.status !== 403) forgetJob(id);
  }
}

export function watch(job) {
  watched.add(job.id);
  const item = ofTemplate("job-template");
  item.querySelector(".name").textContent = job.file;
  item.querySelector("progress").setAttribute("aria-label", t("progress_of", { file: job.file }));
  byId("jobs").prepend(item);
  byId("sent").hidden = false;
  const following = new AbortController();
  item.querySelector(".cancel").onclick = async () => {
    following.abort();
    forgetJob(job.id);
    await ask(`jobs/${job.id}`, { method: "DELETE" }).catch(tellError);
    item.remove();
    byId("sent").hidden = byId("jobs").children.length === 0;
    byId("file").focus();
  };
  update(item, job);
  if (!hasEnded(job)) follow(job, item, following.signal);
}

const hasEnded = (job) => ["done", "error", "cancelled"].includes(job.status);

// Show the states of a file until the end. An EventSource cannot send a key.
async function follow(job, item, signal) {
  while (!signal.aborted) {
    try {
      const response = await ask(`jobs/${job.id}/events`, { signal });
      if (response.status === 404) return update(item, { ...job, status: "cancelled" });
      for await (const state of statesOf(response)) {
        update(item, state);
        if (hasEnded(state)) return;
      }
    } catch { /* the connection is lost, or the file is cancelled */ }
    await pause(1000);
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
  const response = await ask(`jobs/${job.id}/result`);
  if (!response.ok) return tellError(new ServiceError(t("answered", { status: response.status }), response));
  const link = element("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = job.output;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function update(item, job) {
  const progress = item.querySelector("progress");
  item.dataset.status = job.status;
  if (job.total) { progress.max = job.total; progress.value = job.sentences; }
  progress.hidden = hasEnded(job);
  item.querySelector(".state").textContent = stateOf(job);
  const cancel = item.querySelector(".cancel");
  cancel.setAttribute("aria-label", t(hasEnded(job) ? "remove_file" : "cancel_file", { file: job.file }));
  if (!hasEnded(job)) return;
  if (job.status === "done") offerDownload(item, job);
  showNotes(item, job);
  showMarked(item, job);
}

// What a person needs to know: the languages, how much is done, and how long the rest takes.
function stateOf(job) {
  const { source, target } = languagesOf(job.model);
  const languages = job.into || !source ? `→ ${nameHere(job.into || target)}` : `${nameHere(source)} → ${nameHere(target)}`;
  const count = { count: job.total, done: number(job.sentences) };
  const progress = {
    queued: () => t("queued"),
    translating: () => (job.total ? t("progress", count) : t("reading")),
    done: () => t("done", count),
    error: () => t("failed"),
    cancelled: () => t("cancelled"),
  }[job.status]();
  const left = job.seconds_left && !hasEnded(job) ? t("left", { time: duration(job.seconds_left) }) : "";
  return [languages, progress, left].filter(Boolean).join(" · ");
}

function offerDownload(item, job) {
  const link = item.querySelector(".download");
  link.href = `jobs/${job.id}/result`;
  link.onclick = (event) => download(event, job);
  link.setAttribute("aria-label", t("download_file", { file: job.file }));
  link.hidden = false;
}

// A message with the choices of the page in place of the values of a request.
function inPage(message) {
  const options = [...byId("format").options];
  return message.replace(/\badd `file_format=([\w-]+)`/g, (added, name) => {
    const option = options.find((each) => each.value === name);
    return option ? `choose “${option.text}” under “${t("read_as")}”` : added;
  });
}

// A line stands below the name of its file, so it need not begin with it.
function withoutName(line, file) {
  const text = line.startsWith(`${file}: `) ? line.slice(file.length + 2) : line;
  return /^(is|has) /.test(text) ? `${file} ${text}` : text.charAt(0).toUpperCase() + text.slice(1);
}

// An error is told at once; notes are there for those who want them.
function showNotes(item, job) {
  const isError = job.status === "error";
  const lines = inPage(job.message ?? "").split("\n").filter(Boolean).map((line) => withoutName(line, job.file));
  const problem = item.querySelector(".problem");
  problem.hidden = !isError;
  if (isError) {
    const text = element("span", lines.join(" "));
    text.lang = "en";
    problem.replaceChildren(icon("warning"), text);
  }
  const notes = isError ? [] : lines;
  item.querySelector(".rest").hidden = notes.length === 0;
  const list = item.querySelector(".notes");
  list.lang = "en";
  list.replaceChildren(...notes.map((note) => element("li", note)));
}

// The sentences to review, with the place of each in the file.
function showMarked(item, job) {
  const review = item.querySelector(".review"), place = item.querySelector(".marked");
  review.hidden = !job.marks;
  review.textContent = t("review", { count: job.marks });
  review.onclick = () => {
    place.hidden = !place.hidden;
    review.setAttribute("aria-expanded", String(!place.hidden));
  };
  const { source, target } = languagesOf(job.model);
  const list = element("ul");
  list.append(...job.marked.map((marked) => {
    const entry = element("li");
    const head = element("p", "", "warning");
    head.lang = "en";
    head.append(icon("warning"), element("strong", marked.place), element("span", marked.warning));
    entry.append(head, textIn(source, marked.source, "source"), textIn(target, marked.target, "target"));
    return entry;
  }));
  const isCut = job.marks > job.marked.length;
  place.replaceChildren(...(isCut ? [element("p", t("review_first", { count: job.marked.length }), "hint")] : []), list);
}

function textIn(language, text, className) {
  const made = element("p", text, className);
  made.lang = language ?? "";
  made.dir = language ? directionOf(language) : "auto";
  return made;
}
