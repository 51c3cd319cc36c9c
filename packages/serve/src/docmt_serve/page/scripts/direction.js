// From which language into which: what is chosen, what the service has, and the model of a pair.

import { askedFor, keep, kept, service } from "./shared.js";

export const AUTO = "auto";

// `detected` is the language of the present text, where it is to be detected.
export const direction = { source: AUTO, target: "", detected: "" };

const listeners = [];
export const onDirection = (listener) => listeners.push(listener);

const primary = (code) => code.split("-")[0].toLowerCase();
export const sameLanguage = (one, other) => primary(one) === primary(other);

const union = (lists) => [...new Set(lists.flat())];
export const allSources = () => union(service.models.map((model) => model.sources));
export const allTargets = () => union(service.models.map((model) => model.targets));

// The models of a pair, the default first.
export function modelsOf(source, target) {
  if (source === target) return [];
  return service.models.filter((model) => model.sources.includes(source) && model.targets.includes(target));
}

const isServed = (source, target) =>
  source === AUTO ? allSources().some((each) => modelsOf(each, target).length) : modelsOf(source, target).length > 0;

// The code of a source language that means the language of another code.
export const sourceLike = (code) => allSources().find((each) => each === code) ?? allSources().find((each) => sameLanguage(each, code));

// The languages of a job, whose model may be named with a pair of its languages.
export function languagesOf(name) {
  const model = service.models.find((each) => each.name === name);
  if (model) return model;
  const [target, source] = name.split("/").reverse();
  return { source, target };
}

function set(changes) {
  Object.assign(direction, changes);
  const { source, target } = direction;
  keep("localStorage", "direction", { source, target });
  for (const listener of listeners) listener();
}

// The languages that the address asks for or that were chosen last, if they are still here; or else any text into the language of the browser.
export function startDirection() {
  const last = { ...kept("localStorage", "direction", {}), ...askedFor("source", "target") };
  const targets = allTargets();
  const liked = [last.target, ...navigator.languages].filter(Boolean);
  const target = liked.map((code) => targets.find((each) => each === code) ?? targets.find((each) => sameLanguage(each, code))).find(Boolean);
  const source = allSources().includes(last.source) ? last.source : AUTO;
  set({ source, target: target ?? targets[0] ?? "", detected: "" });
  if (!isServed(direction.source, direction.target)) set({ source: AUTO });
}

// The language of the text, as far as it is known.
const spoken = () => (direction.source === AUTO ? direction.detected : direction.source);

// Whether a choice names the language of the other side, which means a swap.
export function meansSwap(side, code) {
  const other = side === "source" ? direction.target : spoken();
  return other !== "" && code !== AUTO && sameLanguage(code, other) && swapped() !== null;
}

export function chooseSource(source) {
  const target = isServed(source, direction.target) ? direction.target : otherTarget(source);
  set({ source, target, detected: "" });
}

export function chooseTarget(target) {
  set({ source: isServed(direction.source, target) ? direction.source : AUTO, target });
}

// A text in the target language is translated into another one.
export function otherTarget(source) {
  const last = kept("localStorage", "targets", []);
  return [...last, ...allTargets()].find((target) => !sameLanguage(source, target) && isServed(source, target)) ?? direction.target;
}

export function tellDetected(code) {
  if (direction.detected === code) return;
  const served = sourceLike(code) ?? code;
  const isTarget = sameLanguage(code, direction.target) && !modelsOf(served, direction.target).length;
  set({ detected: code, ...(isTarget ? { target: otherTarget(served) } : {}) });
}

export function usedTarget(target) {
  const others = kept("localStorage", "targets", []).filter((each) => each !== target);
  keep("localStorage", "targets", [target, ...others].slice(0, 5));
}

// The direction after a swap; null if it cannot be.
export function swapped() {
  const { source, target, detected } = direction;
  const back = source === AUTO ? allTargets().find((each) => detected && sameLanguage(each, detected)) : source;
  const from = sourceLike(target);
  return back && from && isServed(from, back) ? { source: from, target: back } : null;
}

export function swap() {
  const changes = swapped();
  if (changes) set({ ...changes, detected: "" });
}
