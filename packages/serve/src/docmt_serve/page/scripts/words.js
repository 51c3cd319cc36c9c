// The words of the page in the language of the browser, and names and numbers as that language writes them.

let words = {};
let language = "en";
let plurals = new Intl.PluralRules(language);

export async function loadWords() {
  words = await (await fetch("page/strings")).json();
  language = words.language;
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  document.title = t("title");
  applyTo(document);
  for (const template of document.querySelectorAll("template")) applyTo(template.content);
}

// The words of elements that name them: as their text, or as one of their attributes.
function applyTo(root) {
  for (const each of root.querySelectorAll("[data-text]")) each.append(t(each.dataset.text));
  for (const [name, attribute] of [["label", "aria-label"], ["title", "title"], ["placeholder", "placeholder"], ["empty", "data-words"]]) {
    for (const each of root.querySelectorAll(`[data-${name}]`)) each.setAttribute(attribute, t(each.dataset[name]));
  }
}

// The words of a key. With a `count`, those for so many, where there are several.
export function t(key, values = {}) {
  const exact = "count" in values ? `${key}_${plurals.select(values.count)}` : key;
  const text = words[exact] ?? words[`${key}_other`] ?? words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name];
    return value === undefined ? all : typeof value === "number" ? number(value) : value;
  });
}

export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);

export const percent = (share) => number(share, { style: "percent", maximumFractionDigits: 0 });

export function duration(seconds) {
  const [value, unit] = seconds < 60 ? [Math.ceil(seconds), "second"]
    : seconds < 5400 && seconds % 3600 ? [Math.round(seconds / 60), "minute"] : [Math.round(seconds / 3600), "hour"];
  return number(value, { style: "unit", unit, unitDisplay: "long" });
}

export function size(bytes) {
  const unit = bytes < 1e6 ? "kilobyte" : "megabyte";
  const value = Math.ceil(bytes / (unit === "kilobyte" ? 1e3 : 1e6));
  return number(value, { style: "unit", unit, unitDisplay: "short" });
}

// The name of a language in itself, and in the language of the page.
export const ownName = (code) => nameIn(code, code);
export const nameHere = (code) => nameIn(code, language);
export const englishName = (code) => nameIn(code, "en");

function nameIn(code, reader) {
  try {
    const name = new Intl.DisplayNames([reader], { type: "language", languageDisplay: "standard" }).of(code);
    return name.charAt(0).toLocaleUpperCase(reader) + name.slice(1);
  } catch {
    return code;
  }
}

export function directionOf(code) {
  try {
    const locale = new Intl.Locale(code);
    const { direction } = locale.getTextInfo?.() ?? locale.textInfo;
    return direction;
  } catch {
    return /^(ar|fa|he|ur|ps|sd|ug|yi|dv|ckb)\b/.test(code) ? "rtl" : "ltr";
  }
}

export const inOrder = (one, other) => one.localeCompare(other, language);
