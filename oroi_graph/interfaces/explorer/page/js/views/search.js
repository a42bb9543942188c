// Search for a concept: a list that follows what is typed (combobox with a listbox, as WAI-ARIA describes it).

import { t } from "../i18n.js";
import { set, state } from "../state.js";
import { aloud, calm, fill, h, icon, stored } from "../ui/dom.js";

/** The search field. */
export function searchField() {
  const input = h("input", { type: "text", id: "search", role: "combobox", autocomplete: "off", spellcheck: "false", placeholder: t("search"), "aria-label": t("search"), "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list" });
  const list = h("ul", { id: "found", role: "listbox", "aria-label": t("search.found"), hidden: true });
  let found = [];
  let at = -1;
  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const open = (one) => { close(); input.value = ""; set({ selected: one.id, panel: "concept" }); };
  const mark = (place) => {
    at = place;
    [...list.children].forEach((child, i) => child.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) input.setAttribute("aria-activedescendant", `found-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const look = calm(async () => {
    const text = input.value.trim();
    if (!text) return close();
    try {
      ({ concepts: found } = await state.api.like(text));
    } catch {
      found = [];
    }
    if (input.value.trim() !== text) return undefined;
    fill(list, found.length
      ? found.map((one, i) => h("li", { role: "option", id: `found-${i}`, "aria-selected": "false", onpointerdown: (event) => { event.preventDefault(); open(one); } }, stored(one.label), h("small", { class: "quiet" }, t(`kind.${one.kind}`))))
      : h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false", class: "quiet" }, t("search.nothing")));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(found.length ? 0 : -1);
    aloud(t("search.count", { n: found.length }));
    return undefined;
  }, 140);
  input.addEventListener("input", look);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { close(); input.value = ""; }
    if (list.hidden || !found.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark((at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      open(found[at]);
    }
  });
  return h("div", { class: "search" }, icon("search"), input, list);
}
