// The graph: the scene, its legend, and how it is used with the keyboard.

import { number, t } from "../i18n.js";
import { Scene } from "../graph/scene.js";
import { on, set, state } from "../state.js";
import { aloud, button, fill, h } from "../ui/dom.js";
import { overlay } from "./recall.js";

const ARROWS = { ArrowRight: 0, ArrowUp: Math.PI / 2, ArrowLeft: Math.PI, ArrowDown: -Math.PI / 2 };

/** Put the graph into an element. */
export function graphView(element) {
  const canvas = h("div", { class: "scene", tabindex: "0", role: "application", "aria-label": t("graph.label"), "aria-describedby": "graph-keys" });
  const tools = h("div", { class: "tools", role: "group", "aria-label": t("graph.view") },
    button(t("graph.nearer"), { class: "plain", onclick: () => scene.zoom(0.7) }, "plus", false),
    button(t("graph.farther"), { class: "plain", onclick: () => scene.zoom(1.4) }, "minus", false),
    button(t("graph.fit"), { class: "plain", onclick: () => scene.fit() }, "fit", false),
    button(t("graph.arrange"), { class: "plain", onclick: () => scene.arrange() }, "again", false));
  const empty = h("p", { class: "empty", hidden: true });
  const part = h("p", { class: "part", hidden: true });
  fill(element, canvas, h("p", { class: "unseen", id: "graph-keys" }, t("graph.keys")), tools, h("div", { class: "legend-place" }, legend()), part, empty);
  const scene = new Scene(canvas, (id) => set(id ? { selected: id, panel: "concept" } : { selected: null, panel: state.panel === "concept" ? null : state.panel }));
  let shown = null;
  const light = () => {
    const found = overlay();
    if (found) scene.admit(state.recall.trace.concepts, state.recall.trace.associations);
    scene.illuminate(found);
    element.querySelector(".legend").classList.toggle("recalling", found !== null);
  };
  on(["graph"], () => {
    if (!state.graph) return;
    scene.show(state.graph, shown !== state.memory);
    shown = state.memory;
    const { concepts, total, turns } = state.graph;
    empty.hidden = concepts.length > 0;
    fill(empty, t(turns ? "graph.empty" : "graph.nothing"));
    part.hidden = concepts.length >= total;
    fill(part, t("graph.part", { n: concepts.length, total }));
    scene.select(state.panel === "concept" ? state.selected : null);
    light();
  });
  on(["selected", "panel"], () => {
    scene.select(state.panel === "concept" ? state.selected : null);
    light();
    if (state.panel === "concept" && state.selected) scene.focus(state.selected);
  });
  on(["step", "recall"], light);
  on(["recall"], () => state.recall && scene.frame(framed()));
  on(["view"], () => state.view === "graph" && requestAnimationFrame(() => scene.sigma.refresh()));
  canvas.addEventListener("keydown", (event) => keyed(event, scene));
  return scene;
}

/** What a recall reached; speakers are joined to almost everything, so they would only take the view away from it. */
function framed() {
  const { concepts } = state.recall.trace;
  const others = concepts.filter((one) => one.kind !== "self");
  return (others.length ? others : concepts).slice(0, 40).map((one) => one.id);
}

function keyed(event, scene) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const done = () => event.preventDefault();
  if (key in ARROWS && (event.shiftKey || !state.selected)) {
    const angle = ARROWS[key];
    scene.pan(0.12 * Math.cos(angle), -0.12 * Math.sin(angle));
    done();
  } else if (key in ARROWS) {
    go(scene.towards(state.selected, ARROWS[key]));
    done();
  } else if (key === "n" || key === "p") {
    go(ranked(key === "n" ? 1 : -1));
    done();
  } else if (key === "+" || key === "=") scene.zoom(0.7);
  else if (key === "-") scene.zoom(1.4);
  else if (key === "0") scene.fit();
  else if (key === "Enter" && state.selected) {
    document.querySelector("#side h2")?.focus();
    done();
  }
}

function go(id) {
  if (!id) return;
  set({ selected: id, panel: "concept" });
  const one = state.graph.concepts.find((found) => found.id === id);
  if (one) aloud(t("graph.at", { name: one.label, activation: number(one.activation), n: one.mentions }));
}

/** The concept after, or before, the selected one in the order of activation. */
function ranked(step) {
  const { concepts } = state.graph;
  if (!concepts.length) return null;
  const here = concepts.findIndex((one) => one.id === state.selected);
  return concepts[(here < 0 ? 0 : here + step + concepts.length) % concepts.length].id;
}

function legend() {
  const sample = (name, text, more = null) => h("li", { class: more }, h("span", { class: ["sample", name] }), text);
  return h("details", { class: "legend", open: innerWidth > 900 }, h("summary", {}, t("legend")),
    h("ul", {}, sample("reds", t("legend.activation")), sample("asleep", t("legend.asleep")), sample("double", t("legend.consolidated")),
      sample("line", t("legend.weight")), sample("gone", t("legend.gone")), sample("contested", t("legend.contested")),
      sample("cue", t("legend.cue"), "of-recall"), sample("wave", t("legend.wave"), "of-recall"), sample("path", t("legend.path"), "of-recall")));
}
