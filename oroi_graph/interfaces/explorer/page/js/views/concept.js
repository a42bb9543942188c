// A concept's page: what is known of it, how that changed, and the words behind it.

import { day, number, t } from "../i18n.js";
import { may, on, set, state } from "../state.js";
import { refusal } from "../ui/dialog.js";
import { button, fill, gauge, h, icon, stored } from "../ui/dom.js";
import { correctFact, deleteFact, forget } from "./changes.js";
import { factLine, factMarks } from "./facts.js";

/** Draw the page of the selected concept into an element. refresh: called when something was changed. */
export function conceptPage(element, refresh) {
  let asked = 0;
  const draw = async () => {
    if (state.panel !== "concept" || !state.selected) return;
    const mine = ++asked;
    try {
      const page = await state.api.concept(state.selected);
      if (mine === asked) fill(element, whole(page, async () => { await refresh(); await draw(); }));
    } catch (error) {
      if (mine === asked) fill(element, h("div", { class: "page" }, refusal(error)));
    }
  };
  on(["selected", "panel", "memory"], draw);
  return draw;
}

const choose = (id) => set({ selected: id, panel: "concept" });

function whole(page, changed) {
  const { concept, facts, records, said } = page;
  const holds = facts.filter((fact) => fact.current && !fact.implied);
  const structure = facts.filter((fact) => fact.current && fact.implied);
  const past = facts.filter((fact) => !fact.current);
  const gone = () => { set({ selected: null, panel: null }); return changed(); };
  return h("article", { class: "page" },
    h("header", { class: "page-head" },
      h("p", { class: "kind" }, t(`kind.${concept.kind}`)),
      h("h2", { tabindex: "-1" }, stored(concept.label)),
      concept.aliases.length ? h("p", { class: "quiet" }, `${t("concept.aliases")} `, concept.aliases.map((alias) => h("span", { class: "chip" }, stored(alias)))) : null,
      h("dl", { class: "meters" },
        meter("activation", concept.activation, 3, "red"), meter("strength", concept.strength, 1, "ink"),
        plain("concept.mentions", number(concept.mentions)), plain("concept.turns", `${concept.first_turn}–${concept.last_turn}`)),
      may("forget") ? h("p", { class: "acts" }, button(t("forget"), { class: "small", onclick: () => forget(concept.id, concept.label, gone) })) : null),
    section("concept.facts", holds.length, holds.length ? h("ul", { class: "facts" }, holds.map((fact) => factItem(fact, changed))) : h("p", { class: "quiet" }, t("concept.nofacts"))),
    structure.length ? section("concept.structure", structure.length, h("ul", { class: "facts" }, structure.map((fact) => h("li", {}, factLine(fact, choose))))) : null,
    section("concept.history", null, chronicle(facts, past)),
    section("concept.words", said, h("ol", { class: "words" }, records.map(words))));
}

function meter(name, value, most, tone) {
  const share = Math.min(1, value / most);
  return h("div", {}, h("dt", {}, t(`concept.${name}`)), h("dd", {}, gauge(share, tone, t(`concept.${name}`), number(value)), h("span", {}, number(value))));
}

const plain = (name, value) => h("div", {}, h("dt", {}, t(name)), h("dd", {}, h("span", {}, value)));

function section(name, count, ...body) {
  return h("section", {}, h("h3", {}, `${t(name)} `, count === null ? null : h("span", { class: "count" }, number(count))), body);
}

function factItem(fact, changed) {
  return h("li", {}, factLine(fact, choose), h("span", { class: "marks" }, factMarks(fact)),
    h("span", { class: "acts" },
      may("write") ? button(t("correct"), { class: "tiny", onclick: () => correctFact(fact, changed) }) : null,
      may("forget") ? button(t("delete"), { class: "tiny", onclick: () => deleteFact(fact, changed) }) : null));
}

/** What was learned and what ended, turn by turn. */
function chronicle(facts, past) {
  const events = [
    ...facts.filter((fact) => !fact.implied).map((fact) => ({ turn: fact.first_turn, fact, kind: "begins" })),
    ...past.filter((fact) => fact.superseded_turn !== null).map((fact) => ({ turn: fact.superseded_turn, fact, kind: "ends" })),
  ].sort((a, b) => b.turn - a.turn || a.kind.localeCompare(b.kind));
  if (!events.length) return h("p", { class: "quiet" }, t("concept.nohistory"));
  return h("ol", { class: "chronicle" }, events.map(({ turn, fact, kind }) => {
    const by = kind === "ends" ? facts.find((other) => other.id === fact.superseded_by) : null;
    return h("li", {}, h("button", { type: "button", class: "turn", onclick: () => set({ turn }), title: t("time.goto") }, t("turn.n", { turn })),
      h("span", { class: ["tag", kind === "ends" ? "minus" : "plus"] }, t(`plan.${kind}`)), factLine({ ...fact, current: kind === "begins" }),
      by ? h("span", { class: "quiet" }, ` ${t("concept.replacedby")} `, factLine(by)) : null);
  }));
}

function words(record) {
  return h("li", { class: record.role }, h("p", { class: "said-by" },
    record.role === "user" ? null : icon(record.role === "note" ? "notes" : "said"),
    h("strong", {}, stored(record.speaker)), " ", record.turn >= 0 ? h("button", { type: "button", class: "turn", onclick: () => set({ turn: record.turn }) }, t("turn.n", { turn: record.turn })) : null,
    " ", h("time", { datetime: record.at }, day(record.at))), h("blockquote", {}, stored(record.text)));
}
