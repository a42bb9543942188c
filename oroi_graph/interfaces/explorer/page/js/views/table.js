// The same as tables: whatever the graph shows can be read, sorted and opened here.

import { number, t } from "../i18n.js";
import { on, set, state } from "../state.js";
import { button, calm, fill, gauge, h, stored, visible } from "../ui/dom.js";
import { factMarks } from "./facts.js";

const PAGE = 100; // rows

const COLUMNS = {
  concepts: [
    { name: "label", text: true, cell: (one) => opener(one.id, one.label) },
    { name: "kind", text: true, cell: (one) => t(`kind.${one.kind}`) },
    { name: "activation", cell: (one) => bar(one.activation, 3, "red", t("concept.activation")) },
    { name: "strength", cell: (one) => bar(one.strength, 1, "ink", t("concept.strength")) },
    { name: "mentions", cell: (one) => number(one.mentions) },
    { name: "first_turn", cell: (one) => number(one.first_turn) },
    { name: "last_turn", cell: (one) => number(one.last_turn) },
  ],
  facts: [
    { name: "source", text: true, cell: (one) => opener(one.source_id, one.source) },
    { name: "relation", text: true, cell: (one) => [one.negated ? h("em", {}, `${t("not")} `) : null, stored(one.relation)] },
    { name: "target", text: true, cell: (one) => opener(one.target_id, one.target) },
    { name: "when", text: true, cell: (one) => stored(one.when ?? "") },
    { name: "state", text: true, cell: (one) => (factMarks(one).length ? factMarks(one) : t("fact.holds")) },
    { name: "weight", cell: (one) => number(one.weight) },
    { name: "first_turn", cell: (one) => number(one.first_turn) },
  ],
};

/** Put both tables into an element. */
export function tableView(element) {
  const shown = { which: "concepts", by: "activation", down: true, like: "", rows: PAGE };
  const body = h("div", { class: "table-place", tabindex: "0", role: "region", "aria-label": t("table.region") });
  const like = h("input", { type: "search", id: "table-like", placeholder: t("table.filter"), "aria-label": t("table.filter") });
  const pick = (which) => button(t(`table.${which}`), { class: "tab", "aria-pressed": String(which === shown.which), onclick: () => { Object.assign(shown, { which, by: which === "concepts" ? "activation" : "weight", down: true, rows: PAGE }); draw(); } });
  const picks = h("div", { class: "picks", role: "group", "aria-label": t("table.which") });
  const count = h("p", { class: "quiet", role: "status" });
  like.addEventListener("input", calm(() => { Object.assign(shown, { like: like.value.trim().toLowerCase(), rows: PAGE }); draw(); }, 120));
  fill(element, h("div", { class: "table-head" }, picks, like, count), body);
  const draw = () => {
    if (state.view !== "table" || !state.graph) return;
    fill(picks, pick("concepts"), pick("facts"));
    const rows = sorted(listed(shown), shown);
    fill(count, t("table.count", { n: rows.length, total: shown.which === "concepts" ? state.graph.total : state.graph.associations.length }));
    fill(body, table(rows.slice(0, shown.rows), shown, draw),
      rows.length > shown.rows ? button(t("table.more", { n: Math.min(PAGE, rows.length - shown.rows) }), { class: "more", onclick: () => { shown.rows += PAGE; draw(); } }) : null);
  };
  on(["view", "graph", "selected"], draw);
}

function listed({ which, like }) {
  const { concepts, associations } = state.graph;
  if (which === "concepts") return concepts.filter((one) => !like || [one.label, ...one.aliases].some((name) => name.toLowerCase().includes(like)));
  const names = new Map(concepts.map((one) => [one.id, one.label]));
  const facts = associations.map((one) => ({ ...one, source_id: one.source, target_id: one.target, source: names.get(one.source), target: names.get(one.target), state: one.current ? "a" : "b" }));
  return facts.filter((one) => !like || `${one.source} ${one.relation} ${one.target}`.toLowerCase().includes(like));
}

function sorted(rows, { by, down }) {
  const order = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const compared = (a, b) => (typeof a[by] === "number" ? a[by] - b[by] : order.compare(visible(a[by]), visible(b[by])));
  return [...rows].sort((a, b) => (down ? -1 : 1) * compared(a, b));
}

function table(rows, shown, draw) {
  const columns = COLUMNS[shown.which];
  const head = columns.map(({ name, text }) => {
    const mine = shown.by === name;
    const turn = () => { Object.assign(shown, { by: name, down: mine ? !shown.down : !text }); draw(); document.querySelector(`th[data-name="${name}"] button`)?.focus(); };
    return h("th", { scope: "col", "data-name": name, class: !text && "number", "aria-sort": mine ? (shown.down ? "descending" : "ascending") : null }, h("button", { type: "button", onclick: turn }, t(`column.${name}`)));
  });
  return h("table", {}, h("caption", { class: "unseen" }, t(`table.${shown.which}`)), h("thead", {}, h("tr", {}, head)),
    h("tbody", {}, rows.map((one) => h("tr", { class: [one.id === state.selected && "selected", one.current === false && "past"] },
      columns.map(({ cell, text }, i) => h(i ? "td" : "th", { scope: i ? null : "row", class: !text && "number" }, cell(one)))))));
}

const opener = (id, label) => h("button", { type: "button", class: "link", onclick: () => set({ selected: id, panel: "concept" }) }, stored(label));

function bar(value, most, tone, label) {
  return h("span", { class: "measure" }, gauge(value / most, tone, label, number(value)), h("span", {}, number(value)));
}
