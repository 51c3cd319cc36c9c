// What the parts of the page share. Everything that comes from elsewhere is inserted as text, never as markup.

import { t } from "./words.js";

export const byId = (id) => document.getElementById(id);

export const service = { models: [], limit: 0 };

export function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function icon(name) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  made.setAttribute("aria-hidden", "true");
  made.setAttribute("class", "icon");
  made.append(use);
  return made;
}

export function button(text, onclick, { className = "", name = "" } = {}) {
  const made = element("button", text, className);
  made.type = "button";
  made.onclick = onclick;
  if (name) made.prepend(icon(name));
  return made;
}

// The content of a template in the page, filled with the words of the page.
export function ofTemplate(id) {
  return byId(id).content.firstElementChild.cloneNode(true);
}

// An error of the service, which is told in English.
export class ServiceError extends Error {
  constructor(message, response) {
    super(message);
    this.status = response.status;
    this.seconds = Number(response.headers.get("Retry-After")) || 0;
  }
}

// A request with the key, if there is one. What a browser says of one that nobody answers is no help.
export async function ask(path, options = {}) {
  const key = byId("key").value;
  const own = key ? { Authorization: `Bearer ${key}` } : {};
  try {
    return await fetch(path, { ...options, headers: { ...own, ...options.headers } });
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(t("no_answer"));
  }
}

export const askJson = (path, body, signal) => ask(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
});

export async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new ServiceError(body.error ?? t("answered", { status: response.status }), response);
  return body;
}

// What is told of everything on the page but a text: at the top, where it is seen in both views.
export function tell(text = "") {
  byId("status").textContent = text;
}

export function tellError(error) {
  const place = byId("message");
  place.replaceChildren(...(error ? [icon("warning"), spoken(error)] : []));
}

// The words of an error. Those of the service are English.
export function spoken(error) {
  const text = element("span", error.message ?? error);
  if (error instanceof ServiceError) text.lang = "en";
  return text;
}

// Values that survive a reload. Browsers that keep nothing refuse to.
export function kept(store, name, otherwise) {
  try { return JSON.parse(window[store].getItem(name)) ?? otherwise; } catch { return otherwise; }
}

export function keep(store, name, value) {
  try { window[store].setItem(name, JSON.stringify(value)); } catch { /* not kept */ }
}

// What the address asks for once, such as ?source=en&target=pt&q=text, as on LibreTranslate's page.
export function askedFor(...names) {
  const address = new URL(window.location.href);
  const found = Object.fromEntries(names.map((name) => [name, address.searchParams.get(name)]).filter(([, value]) => value !== null));
  for (const name of names) address.searchParams.delete(name);
  window.history.replaceState(null, "", address);
  return found;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
