"use strict";
(() => {
  const list = document.getElementById("list");
  if (!list) return;
  for (const element of document.querySelectorAll(".with-script")) element.hidden = false;
  const documents = [...list.querySelectorAll(".document")];
  const order = document.getElementById("order");
  const shown = document.getElementById("shown");
  const find = document.getElementById("find");
  const found = document.getElementById("found");
  const collator = new Intl.Collator(undefined, { numeric: true });
  const by = {
    difference: (a, b) => b.dataset.difference - a.dataset.difference,
    gain: (a, b) => b.dataset.gain - a.dataset.gain,
    loss: (a, b) => a.dataset.gain - b.dataset.gain,
    document: (a, b) => collator.compare(a.dataset.id, b.dataset.id),
  };
  const texts = new Map(
    documents.map((one) => [
      one,
      [...one.querySelectorAll(".sentence")].map((s) => [s, s.textContent.toLowerCase()]),
    ]),
  );

  function update() {
    const wanted = find.value.trim().toLowerCase();
    let sentences = 0;
    for (const one of documents) {
      let any = false;
      for (const [sentence, text] of texts.get(one)) {
        const same = shown.value === "different" && sentence.classList.contains("same");
        sentence.hidden = same || !text.includes(wanted);
        if (!sentence.hidden) {
          any = true;
          sentences += 1;
        }
      }
      one.hidden = !any;
      if (wanted && any) one.open = true;
    }
    found.textContent = `${sentences.toLocaleString("en")} sentences`;
  }

  function sort() {
    list.append(...documents.sort(by[order.value]));
  }

  order.addEventListener("change", sort);
  shown.addEventListener("change", update);
  find.addEventListener("input", update);
  find.form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const visible = documents.filter((one) => !one.hidden);
    const now = visible.findIndex((one) => one.contains(document.activeElement));
    if (event.key === "j" || event.key === "k") {
      const next = now < 0 ? 0 : now + (event.key === "j" ? 1 : -1);
      const target = visible[Math.min(Math.max(next, 0), visible.length - 1)];
      if (target) target.querySelector("summary").focus();
    } else if (event.key === "o" && now >= 0) {
      visible[now].open = !visible[now].open;
    }
  });
  update();
})();
