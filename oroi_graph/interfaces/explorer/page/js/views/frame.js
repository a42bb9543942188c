// What surrounds the views: the bar above with memory, search, views and settings; the question below it.

import { LANGUAGES, language, t } from "../i18n.js";
import { request } from "../api.js";
import { memories, openWith } from "../session.js";
import { on, set, state } from "../state.js";
import { open, refusal } from "../ui/dialog.js";
import { button, fill, h, icon, words } from "../ui/dom.js";
import { present } from "./recall.js";
import { searchField } from "./search.js";

export const VIEWS = ["graph", "table", "said", "review", "notes"];

/** The bar above. chosen(memory): another memory; spoken(language); themed(). */
export function topBar({ chosen, spoken, themed }) {
  const memory = h("select", { id: "memory", "aria-label": t("memory"), onchange: () => chosen(memory.value) });
  const nav = h("nav", { "aria-label": t("views") });
  const draw = () => {
    fill(memory, memories().map((name) => h("option", { value: name }, name)));
    memory.value = state.memory;
    fill(nav, VIEWS.map((view) => h("button", { type: "button", "aria-current": view === state.view ? "page" : null, onclick: () => set({ view }) }, icon(view), h("span", {}, t(view)))));
  };
  on(["memory", "view"], draw);
  const tongue = h("select", { "aria-label": t("language"), onchange: () => spoken(tongue.value) }, Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)));
  tongue.value = language;
  return h("header", { class: "bar" },
    h("p", { class: "brand" }, h("img", { src: "/icon.svg", alt: "", width: "26", height: "26" }), h("span", {}, "oroi")), memory,
    button(t("keys"), { class: "plain", onclick: () => openKey(draw, chosen) }, "key", false), searchField(), nav,
    h("div", { class: "settings" }, tongue, button(t("theme"), { class: "plain", onclick: themed }, "theme", false), button(t("help"), { class: "plain", id: "help", onclick: help }, "help", false)));
}

/** Where a question is asked. */
export function questionBar() {
  const question = h("input", { type: "text", id: "question", autocomplete: "off", maxlength: "2000", placeholder: t("ask.hint"), "aria-label": t("ask") });
  const all = h("input", { type: "checkbox", id: "ask-all" });
  const wide = h("label", { class: "ask-all", for: "ask-all" }, all, t("ask.all"));
  const send = button(t("ask.do"), { class: "main", type: "submit" }, "ask");
  const wrong = h("div", { class: "wrong" });
  const form = h("form", { class: "question", onsubmit: async (event) => {
    event.preventDefault();
    const text = question.value.trim();
    if (!text) return question.focus();
    send.disabled = true;
    fill(wrong);
    try {
      present(await state.api.spread(text, all.checked ? memories().filter((name) => state.overview.memories.includes(name)) : [state.memory]));
    } catch (error) {
      fill(wrong, refusal(error));
    }
    send.disabled = false;
    return undefined;
  } }, question, wide, send);
  on(["overview"], () => { wide.hidden = (state.overview?.memories.length ?? 0) < 2; });
  return [form, wrong];
}

function openKey(draw, chosen) {
  const key = h("input", { id: "key", type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const wrong = h("div");
  const go = async (event) => {
    event.preventDefault();
    try {
      const memory = await openWith(key.value.trim(), (text) => request(text, "GET", "/memory"));
      dialog.close();
      draw();
      chosen(memory);
    } catch (error) {
      fill(wrong, refusal(error));
    }
  };
  const body = h("form", { onsubmit: go }, h("p", {}, words(t("keys.about"))), h("div", { class: "field" }, h("label", { for: "key" }, t("keys.key")), key), wrong, h("p", { class: "acts" }, button(t("keys.open"), { class: "main", type: "submit" })));
  const dialog = open({ title: t("keys"), body });
  key.focus();
}

/** What the keyboard does. */
export function help() {
  const keys = ["/", "?", "1–5", "n p", "← ↑ → ↓", "+ − 0", "⏎", "Esc"];
  open({ title: t("help"), body: [h("p", {}, t("help.about")), h("dl", { class: "shortcuts" }, keys.map((key, i) => h("div", {}, h("dt", {}, key.split(" ").map((one) => h("kbd", {}, one))), h("dd", {}, t(`help.${i}`)))))] });
}
