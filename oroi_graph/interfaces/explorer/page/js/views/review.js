// What a person should look at: pairs that may be one concept, merges that can be undone, disputes of the contract.

import { day, number, t } from "../i18n.js";
import { may, on, set, state } from "../state.js";
import { refusal } from "../ui/dialog.js";
import { button, fill, h, stored } from "../ui/dom.js";
import { mergePair, settle, undoMerge } from "./changes.js";

/** Put the review into an element. refresh: called when something was changed. */
export function reviewView(element, refresh) {
  let drawn = 0;
  const draw = async () => {
    if (state.view !== "review" || !state.overview) return;
    const changed = async () => { await refresh(); await draw(); };
    const parts = [part("pairs", () => state.api.doubtful(), (found) => found.pairs, (one) => pair(one, changed)),
      part("conflicts", () => state.api.conflicts(), (found) => found.conflicts, (one) => dispute(one, changed)),
      part("merges", () => state.api.merges(), (found) => found.merges, (one) => merge(one, changed))];
    const body = h("div", { class: "reading" }, h("header", { class: "view-head" }, h("h2", {}, t("review"))), h("p", { class: "quiet" }, t("working")));
    if (!element.children.length) fill(element, body);
    const mine = ++drawn;
    const done = await Promise.all(parts);
    if (mine === drawn) fill(element, h("div", { class: "reading" }, body.firstChild, done));
  };
  on(["view", "memory", "overview"], draw);
}

async function part(name, ask, rows, item) {
  const head = (n) => [h("h3", {}, `${t(`review.${name}`)} `, n === null ? null : h("span", { class: "count" }, number(n))), h("p", { class: "quiet" }, t(`review.${name}.about`))];
  try {
    const found = rows(await ask());
    return h("section", { class: "cards" }, head(found.length), found.length ? h("ul", {}, found.map((one) => h("li", { class: "card" }, item(one)))) : h("p", { class: "none" }, t(`review.${name}.none`)));
  } catch (error) {
    return h("section", { class: "cards" }, head(null), refusal(error));
  }
}

const opener = (id, label) => h("button", { type: "button", class: "link", onclick: () => set({ selected: id, panel: "concept" }) }, stored(label));

function pair(one, changed) {
  return [h("p", { class: "pair" }, opener(one.first_id, one.first), h("span", { class: "quiet" }, ` ${t("review.or")} `), opener(one.second_id, one.second)),
    h("p", { class: "quiet" }, one.score === null ? "" : t("review.score", { score: one.score })),
    may("administer") ? h("p", { class: "acts" }, button(t("merge.one"), { class: "small", onclick: () => mergePair(one, changed) })) : null];
}

function merge(one, changed) {
  const force = one.state === "in force";
  return [h("p", { class: "pair" }, stored(one.absorbed), h("span", { class: "quiet" }, ` ${t("review.became")} `), opener(one.survivor_id, one.survivor), force ? null : h("span", { class: "mark" }, t("review.undone"))),
    h("p", { class: "quiet" }, t("review.merged", { turn: one.turn, by: one.by, score: one.score })),
    force && may("administer") ? h("p", { class: "acts" }, button(t("unmerge.do"), { class: "small", onclick: () => undoMerge(one, changed) }, "undo")) : null];
}

function dispute(one, changed) {
  return [h("p", { class: "pair" }, h("strong", {}, stored(one.field_key)), h("span", { class: "quiet" }, ` ${t("review.since", { day: day(one.opened_at) })}`)),
    h("ul", { class: "lines" }, one.entries.map((entry) => h("li", {}, stored(entry.field_value ?? ""), h("small", { class: "quiet" }, t("review.by", { author: entry.ia_author }))))),
    may("write") ? h("p", { class: "acts" }, button(t("settle"), { class: "small", onclick: () => settle(one, changed) })) : null];
}
