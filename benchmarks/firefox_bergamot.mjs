// Translates with @browsermt/bergamot-translator as `firefox_engines.py` does with other engines:
//
//     node benchmarks/firefox_bergamot.mjs PACKAGE FOLDER THREADS
//
// PACKAGE is a folder of the package in which worker/ is a CommonJS package. Reads the task from
// standard input, and writes the figures to standard output.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [packageFolder, folder, threads] = process.argv.slice(2);
const { lines, singles, repeats } = JSON.parse(readFileSync(0, "utf8"));
const path = resolve(packageFolder, "translator.js");
const began = performance.now();
const { BatchTranslator, TranslatorBacking } = await import(pathToFileURL(path));

const FIRST = "The weather is nice today.";

/** Reads the files of one model from the folder, in place of a registry on the network. */
class FolderBacking extends TranslatorBacking {
  async loadModelRegistery() {
    const named = (start) => ({ name: readdirSync(folder).find((name) => name.startsWith(start)) });
    const files = { model: named("model."), lex: named("lex."), vocab: named("vocab.") };
    return [{ from: "xx", to: "yy", files }];
  }

  async fetch(name) {
    const { buffer, byteOffset, byteLength } = readFileSync(join(folder, name));
    return buffer.slice(byteOffset, byteOffset + byteLength);
  }
}

const options = { workers: Number(threads), batchSize: 64, pivotLanguage: null };
const translator = new BatchTranslator(options, new FolderBacking(options));

async function translate(texts) {
  const requests = texts.map((text) => ({ from: "xx", to: "yy", text, html: false }));
  const responses = await Promise.all(requests.map((request) => translator.translate(request)));
  return responses.map((response) => response.target.text);
}

/** Seconds of the processor, in all threads. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function timed(work) {
  const [before, start] = [cpu(), performance.now()];
  await work();
  return { cpu: cpu() - before, wall: (performance.now() - start) / 1000 };
}


/** The most memory so far, in bytes; see `peak_memory` of firefox_engines.py. */
function peak() {
  if (!existsSync("/proc/self/status")) return process.resourceUsage().maxRSS * 1024;
  return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const both = (runs, reduce) => ({
  cpu: reduce(runs.map((run) => run.cpu)),
  wall: reduce(runs.map((run) => run.wall)),
});

await translate([FIRST]);
const start = { cpu: cpu(), wall: (performance.now() - began) / 1000 };
const memory_at_start = peak();
let translations;
const batches = [];
for (let i = 0; i < repeats; i++)
  batches.push(await timed(async () => { translations = await translate(lines); }));
const alone = [];
for (const line of lines.slice(0, singles)) alone.push(await timed(() => translate([line])));
const figures = {
  start,
  memory_at_start,
  memory: peak(),
  batch: both(batches, (values) => Math.min(...values)),
  single: both(alone, median),
  singles: both(alone, sum),
  translations,
};
process.stdout.write(JSON.stringify(figures), () => process.exit(0));
