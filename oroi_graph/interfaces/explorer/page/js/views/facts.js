// Facts as lines: what a table, a page and a plan show of them.

import { t } from "../i18n.js";
import { h, stored } from "../ui/dom.js";

/** source – relation → target; ends are buttons if `chosen` is given. */
export function factLine(fact, chosen = null) {
  const end = (label, id) => (chosen ? h("button", { type: "button", class: "link", onclick: () => chosen(id) }, stored(label)) : stored(label, { class: "end" }));
  return h("span", { class: ["fact", !fact.current && "past"] },
    end(fact.source, fact.source_id),
    h("span", { class: "relation" }, fact.negated ? h("em", {}, `${t("not")} `) : null, stored(fact.relation), h("span", { "aria-hidden": "true" }, " →")),
    end(fact.target, fact.target_id),
    fact.when ? h("span", { class: "when" }, stored(fact.when)) : null);
}

/** What is to be known of a fact beside its words. */
export function factMarks(fact) {
  const marks = [];
  if (!fact.current) marks.push(h("span", { class: "mark past" }, t("fact.past", { turn: fact.superseded_turn ?? "?" })));
  if (fact.contested) marks.push(h("span", { class: "mark amber" }, t("fact.contested")));
  if (fact.implied) marks.push(h("span", { class: "mark" }, t("fact.implied")));
  return marks;
}
