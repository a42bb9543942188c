// What was said, the newest first.

import { day, t } from "../i18n.js";
import { may, on, set, state } from "../state.js";
import { refusal } from "../ui/dialog.js";
import { button, fill, h, stored } from "../ui/dom.js";
import { undoTurn } from "./changes.js";

/** Put what was said into an element. refresh: called when something was changed. */
export function saidView(element, refresh) {
  let next = null;
  const list = h("ol", { class: "talk" });
  const more = button(t("said.more"), { class: "more", onclick: () => load() });
  const load = async () => {
    try {
      const page = await state.api.timeline(next);
      next = page.next;
      list.append(...page.episodes.map(spoken));
      if (!list.children.length) list.append(h("li", { class: "quiet" }, t("said.nothing")));
      more.hidden = next === null;
    } catch (error) {
      list.append(h("li", {}, refusal(error)));
    }
  };
  const begin = () => {
    if (state.view !== "said" || !state.overview) return;
    next = null;
    const undo = may("forget") ? button(t("undo"), { onclick: () => undoTurn(async () => { await refresh(); begin(); }) }, "undo") : null;
    fill(list);
    fill(element, h("div", { class: "reading" }, h("header", { class: "view-head" }, h("h2", {}, t("said")), undo), list, more));
    load();
  };
  on(["view", "memory", "overview"], begin);
}

function spoken(one) {
  const gist = one.state === "gist" ? h("p", { class: "gist" }, h("span", { class: "tag" }, t("said.gist")), stored(one.text)) : null;
  return h("li", { class: one.role }, h("p", { class: "said-by" }, h("strong", {}, stored(one.speaker)), " ",
    h("button", { type: "button", class: "turn", title: t("time.goto"), onclick: () => set({ turn: one.turn, view: "graph" }) }, t("turn.n", { turn: one.turn })),
    " ", h("time", { datetime: one.at }, day(one.at)), one.state === "resting" ? h("span", { class: "mark" }, t("said.resting")) : null), h("blockquote", {}, stored(one.verbatim)), gist);
}
