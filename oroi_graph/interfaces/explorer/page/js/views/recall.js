// Recall made visible: cues ignite, waves spread, paths are found, and what they lead to enters the brief.

import { number, t } from "../i18n.js";
import { still } from "../motion.js";
import { on, set, state } from "../state.js";
import { aloud, button, fill, gauge, h, icon, stored } from "../ui/dom.js";

const STAGES = ["cues", "waves", "paths", "brief"];
const PACE = { cues: 1100, waves: 750, paths: 1400 }; // milliseconds

let timer = 0;

/** Show an answer of /v1/spread from its beginning; still readers get its end at once. */
export function present(answer) {
  clearTimeout(timer);
  const trace = answer.traces.find((one) => one.memory === state.memory) ?? answer.traces[0];
  set({ recall: { ...answer, trace }, panel: "recall", step: { stage: still() ? "brief" : "cues", round: still() ? trace.rounds : 0 } });
  aloud(answer.items.length ? t("recall.found", { n: answer.items.length }) : t("recall.silence"));
  if (!still()) play();
}

/** Go on by itself until the brief is reached. */
export function play() {
  clearTimeout(timer);
  const { stage, round } = state.step;
  if (stage === "brief") return set({ step: { stage: "cues", round: 0 } }), play();
  timer = setTimeout(() => {
    if (!state.recall) return;
    set({ step: following(stage, round) });
    if (state.step.stage === "brief") timer = 0;
    else play();
  }, PACE[stage] * (stage === "waves" && round > 2 ? 0.6 : 1));
  return undefined;
}

function following(stage, round) {
  const { rounds } = state.recall.trace;
  if (stage === "cues") return { stage: "waves", round: Math.min(1, rounds) };
  if (stage === "waves" && round < rounds) return { stage, round: round + 1 };
  const next = STAGES[STAGES.indexOf(stage) + 1];
  return { stage: next, round: rounds };
}

const halt = () => { clearTimeout(timer); timer = 0; };

/** What the scene lights: see Scene.illuminate. */
export function overlay() {
  if (!state.recall || state.panel !== "recall") return null;
  const { trace, reasons } = state.recall;
  const { stage, round } = state.step;
  const cues = new Set(trace.cues.map((one) => one.id));
  const waves = trace.concepts.map((one) => [one.id, stage === "cues" ? Number(cues.has(one.id)) : glow(one, round)]);
  const amounts = new Map(waves.filter(([, amount]) => amount > 0));
  const edges = new Map();
  const ends = new Set();
  if (stage !== "cues") {
    for (const one of trace.associations) if (amounts.has(one.source) && amounts.has(one.target)) edges.set(one.id, "wave");
  }
  if (stage === "paths" || stage === "brief") {
    for (const one of trace.associations) if (onPath(reasons).has(one.id)) { edges.set(one.id, "path"); ends.add(one.source).add(one.target); }
    if (stage === "brief") for (const id of [...amounts.keys()]) if (!ends.has(id) && !cues.has(id)) amounts.set(id, amounts.get(id) * 0.4);
  }
  return { amounts, cues, ends, edges, sparing: ends.size > 0 };
}

const onPath = (reasons) => new Set(reasons.filter((one) => one.memory === state.recall.trace.memory).flatMap((one) => one.path.map((step) => step.association)));

/** How brightly a concept is lit after some rounds: what the logarithm leaves of its activation, as recall weighs it. */
function glow(one, round) {
  const amount = one.amounts[Math.min(round, one.amounts.length - 1)];
  return amount > 0 ? Math.max(0.12, 1 + Math.log10(amount) / 3) : 0;
}

/** Draw the panel of the last question into an element. */
export function recallPanel(element) {
  on(["recall", "step", "panel"], () => {
    if (state.panel === "recall" && state.recall) fill(element, panel());
  });
}

function panel() {
  const { question, trace, items, brief, reasons } = state.recall;
  const { stage, round } = state.step;
  const place = STAGES.indexOf(stage);
  return h("article", { class: "page recall" },
    h("header", { class: "page-head" }, h("p", { class: "kind" }, t("recall")), h("h2", { tabindex: "-1" }, stored(question))),
    h("ol", { class: "stages" }, STAGES.map((name, i) => h("li", { class: [i < place && "done", i === place && "now"] },
      h("button", { type: "button", "aria-current": i === place ? "step" : null, onclick: () => { halt(); set({ step: { stage: name, round: name === "cues" ? 0 : name === "waves" ? 1 : trace.rounds } }); } }, t(`stage.${name}`))))),
    h("p", { class: "player" },
      button(stage === "brief" ? t("recall.again") : timer ? t("recall.pause") : t("recall.play"), { class: "small", onclick: () => { if (timer) { halt(); set({ step: { ...state.step } }); } else { play(); set({ step: { ...state.step } }); } } }, stage === "brief" ? "again" : timer ? "pause" : "play"),
      button(t("recall.step"), { class: "small", disabled: stage === "brief", onclick: () => { halt(); set({ step: following(stage, round) }); } }, "step"),
      stage === "waves" ? h("span", { class: "quiet" }, t("recall.round", { round, rounds: trace.rounds })) : null),
    h("p", { class: "explained" }, t(`stage.${stage}.about`)),
    h("section", {}, h("h3", {}, t("recall.cues"), " ", h("span", { class: "count" }, trace.cues.length)), cues(trace)),
    place >= 1 ? h("section", {}, h("h3", {}, t("recall.reached"), " ", h("span", { class: "count" }, number(reached(trace, round).length))), reachedList(trace, round)) : null,
    place >= 2 ? h("section", {}, h("h3", {}, t("recall.paths")), paths(reasons)) : null,
    place >= 3 ? h("section", { class: "brief" }, h("h3", {}, t("recall.brief"), " ", h("span", { class: "count" }, t("recall.tokens", { n: brief.tokens }))), briefLines(items)) : null);
}

const choose = (id) => { halt(); set({ selected: id, panel: "concept" }); };
const named = (one) => h("button", { type: "button", class: "link", onclick: () => choose(one.id) }, stored(one.label));

function cues(trace) {
  if (!trace.cues.length) return h("p", { class: "quiet" }, t("recall.nocues"));
  return h("ul", { class: "cues" }, trace.cues.map((cue) => h("li", {}, h("q", {}, stored(cue.span)), h("span", { "aria-hidden": "true" }, " → "), named(cue), h("small", { class: "quiet" }, ` ${t(`method.${cue.method}`)} · ${number(cue.weight)}`))));
}

const reached = (trace, round) => trace.concepts.filter((one) => one.amounts[Math.min(round, one.amounts.length - 1)] > 0);

function reachedList(trace, round) {
  const found = reached(trace, round).sort((a, b) => b.amounts[round] - a.amounts[round]).slice(0, 12);
  return h("ul", { class: "bars" }, found.map((one) => h("li", {}, named(one), gauge(glow(one, round), "wave", t("recall.amount"), number(one.amounts[round], 3)), h("span", { class: "amount" }, number(one.amounts[round], 3)))));
}

function paths(reasons) {
  const walked = reasons.filter((one) => one.path.length);
  if (!walked.length) return h("p", { class: "quiet" }, t("recall.nopaths"));
  return h("ol", { class: "paths" }, walked.map((one) => h("li", {}, path(one.path), h("p", { class: "quiet" }, icon("ask"), stored(one.item)))));
}

function path(steps) {
  return h("p", { class: "path" }, stored(steps[0].source, { class: "end" }), steps.map((step) => [h("span", { class: "relation" }, step.forwards ? " –" : " ←", stored(step.relation), step.forwards ? "→ " : "– "), stored(step.target, { class: "end" })]));
}

function briefLines(items) {
  if (!items.length) return h("p", { class: "quiet" }, t("recall.silence"));
  const several = new Set(items.flatMap((one) => one.memories)).size > 1;
  return h("ul", { class: "lines brief-lines" }, items.map((one) => h("li", { class: one.kind }, h("span", { class: "tag" }, t(`item.${one.kind}`)), stored(one.text), several ? one.memories.map((name) => h("span", { class: "chip" }, stored(name))) : null)));
}
