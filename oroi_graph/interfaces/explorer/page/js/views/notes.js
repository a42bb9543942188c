// Notes of the memory's workspace: its files, one of them as text, and search.

import { day, t } from "../i18n.js";
import { on, state } from "../state.js";
import { refusal } from "../ui/dialog.js";
import { fill, h, stored, words } from "../ui/dom.js";

/** Put the notes into an element. */
export function notesView(element) {
  const files = h("ul", { class: "files" });
  const text = h("div", { class: "note", tabindex: "0", role: "region", "aria-label": t("notes.content") });
  const query = h("input", { type: "search", "aria-label": t("notes.search"), placeholder: t("notes.search") });
  const form = h("form", { role: "search", onsubmit: (event) => { event.preventDefault(); find(); } }, query);
  let chosen = null;
  const show = async (path, from = null) => {
    chosen = path;
    for (const one of files.querySelectorAll("button")) one.setAttribute("aria-current", String(one.dataset.path === path));
    try {
      const note = await state.api.note(path);
      const lines = note.text.split("\n");
      fill(text, h("h3", {}, stored(path)), h("pre", {}, lines.map((line, i) => [h("span", { class: from && i + 1 >= from[0] && i + 1 <= from[1] ? "found" : null }, stored(line)), "\n"])));
      text.querySelector(".found")?.scrollIntoView({ block: "center" });
    } catch (error) {
      fill(text, refusal(error));
    }
  };
  const opener = (path, ...children) => h("button", { type: "button", "data-path": path, "aria-current": String(path === chosen), onclick: () => show(path) }, children);
  const find = async () => {
    if (!query.value.trim()) return draw();
    try {
      const { results } = await state.api.findNotes(query.value);
      fill(files, results.length ? results.map((one) => h("li", {}, h("button", { type: "button", "data-path": one.path, onclick: () => show(one.path, [one.startLine, one.endLine]) }, stored(one.path), h("small", { class: "quiet" }, stored(one.snippet.slice(0, 140)))))) : h("li", { class: "quiet" }, t("notes.nothing")));
    } catch (error) {
      fill(files, h("li", {}, refusal(error)));
    }
    return undefined;
  };
  const draw = async () => {
    if (state.view !== "notes" || !state.overview) return;
    try {
      const { configured, files: found } = await state.api.notes();
      fill(element, h("div", { class: "reading notes" }, h("header", { class: "view-head" }, h("h2", {}, t("notes")), configured ? form : null),
        configured ? h("div", { class: "shelf" }, files, text) : h("p", { class: "none" }, words(t("notes.none")))));
      fill(files, found.length ? found.map((one) => h("li", {}, opener(one.path, stored(one.path), h("small", { class: "quiet" }, day(one.modified))))) : h("li", { class: "quiet" }, t("notes.nothing")));
      if (found.length && !found.some((one) => one.path === chosen)) await show(found[0].path);
    } catch (error) {
      fill(element, h("div", { class: "reading" }, refusal(error)));
    }
  };
  on(["view", "memory", "overview"], draw);
}
