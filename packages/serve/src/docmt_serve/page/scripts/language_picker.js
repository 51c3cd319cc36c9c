// A list of languages that can be searched: a button, and below it a field with the list of what fits.

import { byId, element, icon } from "./shared.js";
import { directionOf, englishName, inOrder, nameHere, ownName, t } from "./words.js";

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

let open = null;

export class LanguagePicker {
  // `side` is "source" or "target"; `codes` gives the languages, `first` an entry before them, `choose` takes one.
  constructor(side, { codes, chosen, choose, first = null }) {
    Object.assign(this, { side, codes, chosen, choose, first });
    this.button = byId(`${side}-language`);
    this.panel = byId(`${side}-picker`);
    this.field = this.panel.querySelector("input");
    this.list = this.panel.querySelector("[role=listbox]");
    this.list.id = `${side}-languages`;
    this.field.setAttribute("aria-controls", this.list.id);
    this.list.setAttribute("aria-label", t(`${side}_language`));
    this.panel.setAttribute("aria-label", t(`${side}_language`));
    this.button.onclick = () => (open === this ? this.close() : this.show());
    this.button.onkeydown = (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      this.show();
    };
    this.field.oninput = () => this.fill();
    this.field.onkeydown = (event) => this.press(event);
    this.list.onclick = (event) => this.take(event.target.closest("[role=option]"));
    this.list.onpointerdown = (event) => event.preventDefault();   // The field keeps the focus.
    this.panel.querySelector(".more").onclick = () => this.close();
    this.panel.addEventListener("focusout", (event) => {
      if (open === this && event.relatedTarget && !this.panel.contains(event.relatedTarget)) this.close(false);
    });
  }

  show() {
    open?.close(false);
    open = this;
    this.field.value = "";
    this.fill();
    this.panel.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.field.focus();
  }

  close(isBack = true) {
    if (open === this) open = null;
    this.panel.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (isBack) this.button.focus();
  }

  // The languages whose name in themselves, in the language of the page or in English has what is searched.
  fill() {
    const wanted = plain(this.field.value.trim());
    const found = this.codes()
      .map((code) => ({ code, own: ownName(code), here: nameHere(code), english: englishName(code) }))
      .filter(({ code, own, here, english }) => [code, own, here, english].some((name) => plain(name).includes(wanted)))
      .sort((one, other) => startsWith(other, wanted) - startsWith(one, wanted) || inOrder(one.own, other.own));
    const options = found.map((each) => this.option(each));
    if (this.first && plain(this.first.text).includes(wanted)) {
      const option = this.option({ code: this.first.code, own: this.first.text, here: this.first.text });
      option.prepend(icon("wand"));
      options.unshift(option);
    }
    this.list.replaceChildren(...options);
    this.panel.querySelector(".none").hidden = options.length > 0;
    const active = wanted ? options[0] : options.find((each) => each.dataset.code === this.chosen()) ?? options[0];
    this.activate(active);
  }

  option({ code, own, here }) {
    const option = element("li");
    option.id = `${this.side}-is-${code}`;
    option.setAttribute("role", "option");
    option.dataset.code = code;
    const name = element("span", own, "own");
    if (code !== this.first?.code) { name.lang = code; name.dir = directionOf(code); }
    option.append(name);
    if (here !== own) option.append(element("span", here, "here"));
    option.setAttribute("aria-selected", String(code === this.chosen()));
    return option;
  }

  activate(option) {
    for (const each of this.list.querySelectorAll(".active")) each.classList.remove("active");
    option?.classList.add("active");
    option?.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  press(event) {
    const options = [...this.list.children];
    const index = options.findIndex((each) => each.classList.contains("active"));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) this.activate(options[(index + step + options.length) % options.length]);
    else if (event.key === "Enter") this.take(options[index]);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
  }

  take(option) {
    if (!option) return;
    this.close();
    this.choose(option.dataset.code);
  }
}

const startsWith = ({ code, own, here, english }, wanted) =>
  Number([code, own, here, english].some((name) => plain(name).startsWith(wanted)));

document.addEventListener("pointerdown", (event) => {
  if (open && !open.panel.contains(event.target) && !open.button.contains(event.target)) open.close(false);
});
