// What the parts of the page share. Everything that comes from elsewhere is inserted as text, never as markup.

export const byId = (id) => document.getElementById(id);

export const service = { models: [] };

export function chosenModel() {
  return service.models[byId("model").selectedIndex];
}

export function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text ?? "";
  if (className) made.className = className;
  return made;
}

export function headers() {
  const key = byId("key").value;
  return key ? { Authorization: `Bearer ${key}` } : {};
}

// A request; what a browser says of one that nobody answers is no help.
export async function ask(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error("The service does not answer.");
  }
}

export async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `the service answered ${response.status}`);
  return body;
}

export function show(message, status = "") {
  byId("message").textContent = message;
  byId("status").textContent = status;
}

// The glossary of the field, in lines with tabs.
export function glossary() {
  return byId("glossary").value.split("\n").map((line) => line.replace(/\s+=\s+/, "\t")).join("\n");
}
