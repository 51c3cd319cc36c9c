"use strict";
// Edits of the page are kept in the review read from it, which `Save` downloads as JSON.
const review = JSON.parse(document.getElementById("review").textContent);
const rows = new Map();
const state = document.getElementById("state");
let unsaved = false;

// The content of an editable cell: texts and tags in order.
function partsOf(node) {
  const parts = [];
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) parts.push(child.data);
    else if (child.dataset && child.dataset.id)
      parts.push({ id: child.dataset.id, kind: child.dataset.kind, shown: child.title });
    else parts.push(...(child.nodeName === "BR" ? [" "] : partsOf(child)));
  }
  const joined = [];
  for (const part of parts) {
    const last = joined.length - 1;
    if (typeof part === "string" && typeof joined[last] === "string") joined[last] += part;
    else if (part !== "") joined.push(part);
  }
  return joined;
}

const plain = (parts) => parts.map((p) => (typeof p === "string" ? p : `\0${p.id} ${p.kind}\0`)).join("")
  .replace(/[\s\u00a0]+/g, " ").trim();

function show(row, parts) {
  const chips = new Map();
  for (const chip of row.element.querySelectorAll(".source .code"))
    chips.set(`${chip.dataset.id} ${chip.dataset.kind}`, chip);
  row.target.replaceChildren(...parts.map((part) => {
    const chip = typeof part === "string" ? null : chips.get(`${part.id} ${part.kind}`);
    if (chip) return chip.cloneNode(true);
    return document.createTextNode(typeof part === "string" ? part : "");
  }));
}

// Buttons for the codes of the source that the translation lacks.
function offerLost(row) {
  const there = new Set([...row.target.querySelectorAll(".code")].map((c) => `${c.dataset.id} ${c.dataset.kind}`));
  const lost = [...row.element.querySelectorAll(".source .code")]
    .filter((c) => !there.has(`${c.dataset.id} ${c.dataset.kind}`));
  row.lost.replaceChildren(...lost.map((chip) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = chip.textContent;
    button.title = `Put ${chip.title} at the cursor`;
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      const selection = getSelection();
      const inside = selection.rangeCount && row.target.contains(selection.anchorNode);
      const range = inside ? selection.getRangeAt(0) : null;
      const copy = chip.cloneNode(true);
      if (range) { range.collapse(false); range.insertNode(copy); } else row.target.append(copy);
      changed(row);
    });
    return button;
  }));
}

function changed(row) {
  const parts = partsOf(row.target);
  const written = plain(row.written);
  const now = plain(parts);
  row.segment.target = now === written ? row.original : now === "" && row.original === null ? null : parts;
  row.segment.approved = row.right.checked;
  row.element.classList.toggle("edited", now !== written);
  offerLost(row);
  unsaved = true;
  count();
}

function count() {
  const all = [...rows.values()];
  const edited = all.filter((row) => row.element.classList.contains("edited")).length;
  const right = all.filter((row) => row.right.checked).length;
  state.textContent = `${edited} edited, ${right} right${unsaved ? ", not saved" : ""}`;
}

for (const unit of review.units) for (const segment of unit.segments) rows.set(`${unit.id} ${segment.id}`, { segment });
for (const element of document.querySelectorAll("tr[data-unit]")) {
  const row = rows.get(`${element.dataset.unit} ${element.dataset.segment}`);
  Object.assign(row, {
    element,
    target: element.querySelector(".target"),
    lost: element.querySelector(".lost"),
    right: element.querySelector("input"),
    original: row.segment.target,
    written: row.segment.target || [],
  });
  row.target.addEventListener("input", () => changed(row));
  row.right.addEventListener("change", () => changed(row));
  // One line of text: what is pasted loses its form, and Enter goes to the next sentence.
  row.target.addEventListener("paste", (event) => {
    event.preventDefault();
    const text = event.clipboardData.getData("text/plain").replace(/\s+/g, " ");
    document.execCommand("insertText", false, text);
  });
  row.target.addEventListener("drop", (event) => event.preventDefault());
  row.target.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) { row.right.checked = true; changed(row); }
    const all = [...rows.values()];
    const next = all[all.indexOf(row) + 1];
    if (next) next.target.focus();
  });
}
count();

document.getElementById("save").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(review, null, 1)], { type: "application/json" }));
  link.download = `${review.original}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  unsaved = false;
  count();
});

document.getElementById("open").addEventListener("change", async (event) => {
  let saved;
  try { saved = JSON.parse(await event.target.files[0].text()); } catch { saved = null; }
  if (!saved || !saved.manifest || saved.manifest.sha256 !== review.manifest.sha256 || !Array.isArray(saved.units)) {
    state.textContent = "This is not a saved review of this file";
    return;
  }
  for (const unit of saved.units) for (const segment of unit.segments) {
    const row = rows.get(`${unit.id} ${segment.id}`);
    if (!row || !row.element) continue;
    show(row, segment.target || []);
    row.right.checked = segment.approved === true;
    changed(row);
  }
  unsaved = false;
  count();
});

addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
