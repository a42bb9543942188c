// The graph on the screen: concepts by activation, drawn with WebGL. What is shown of a recall lies over it.

import { EdgeArrowProgram, MultiDirectedGraph } from "/vendor/graph.js";
import { still } from "../motion.js";
import { short } from "../ui/dom.js";
import { drawHover, drawLabel } from "./labels.js";
import { arrange, beginning } from "./layout.js";
import { Lines, MovingSigma } from "./moving.js";
import { colour, mixed, parts, read, red } from "./palette.js";
import { ringProgram } from "./ring.js";

export const CONSOLIDATED = 0.5; // strength from which a concept gets its double border
const MANY = 1500; // concepts from which lines are drawn without arrows and names more sparsely
const FIRM = 2000; // associations that are drawn while the view of so many moves: the strongest

/** The scene in an element. chosen: called with the id of a concept that was picked, or null. */
export class Scene {
  constructor(element, chosen) {
    read();
    this.places = new Map();
    this.graph = new MultiDirectedGraph();
    this.selected = null;
    this.overlay = null;
    this.near = new Set();
    this.stop = () => {};
    this.plain = "arrow"; // how lines are drawn that nothing is said of
    this.sigma = new MovingSigma(this.graph, element, {
      defaultNodeType: "ring", nodeProgramClasses: { ring: ringProgram(() => parts("paper")) },
      defaultEdgeType: "arrow", edgeProgramClasses: { arrow: EdgeArrowProgram, line: Lines },
      nodeReducer: (id, data) => this.#node(id, data), edgeReducer: (id, data) => this.#edge(id, data),
      defaultDrawNodeLabel: drawLabel, defaultDrawNodeHover: drawHover,
      labelFont: "system-ui, sans-serif", labelSize: 12, labelDensity: 0.9, labelGridCellSize: 90, labelRenderedSizeThreshold: 5,
      edgeLabelFont: "system-ui, sans-serif", edgeLabelSize: 11, edgeLabelColor: { color: colour("quiet") }, renderEdgeLabels: true,
      zIndex: true, hideEdgesOnMove: false, minCameraRatio: 0.02, maxCameraRatio: 3, stagePadding: 60, allowInvalidContainer: true,
      minEdgeThickness: 0.6, doubleClickZoomingRatio: 1.8,
    });
    new ResizeObserver(() => element.clientWidth && this.sigma.resize() && this.sigma.refresh()).observe(element);
    this.sigma.on("clickNode", ({ node }) => chosen(node));
    this.sigma.on("clickStage", () => chosen(null));
    this.sigma.on("enterNode", () => element.classList.add("over"));
    this.sigma.on("leaveNode", () => element.classList.remove("over"));
  }

  /** Show a graph of the API. fresh: another memory, so that nothing has a place yet. */
  show({ concepts, associations }, fresh) {
    if (fresh) this.places.clear();
    this.top = Math.max(1, ...concepts.map((one) => one.activation));
    const ids = new Set(concepts.map((one) => one.id));
    const joined = associations.filter((one) => ids.has(one.source) && ids.has(one.target) && one.source !== one.target);
    this.#settle(concepts, joined);
    this.graph.clear();
    for (const one of concepts) this.graph.addNode(one.id, this.#concept(one));
    const firm = new Set([...joined].sort((a, b) => b.weight - a.weight).slice(0, FIRM).map((one) => one.id));
    for (const one of joined) this.graph.addEdgeWithKey(one.id, one.source, one.target, { ...this.#association(one), firm: firm.has(one.id) });
    const many = concepts.length > MANY;
    this.plain = many ? "line" : "arrow";
    this.sigma.many = many;
    this.sigma.setSetting("labelDensity", many ? 0.35 : 0.9);
    this.sigma.setSetting("labelRenderedSizeThreshold", many ? 7 : 5);
    if (fresh) this.arrange();
  }

  /** Place everything anew. */
  arrange() {
    this.stop();
    let first = true;
    this.stop = arrange(this.graph, (ids, at, ended) => {
      if (!ended && still()) return;
      ids.forEach((id, i) => this.places.set(id, { x: at[2 * i], y: at[2 * i + 1] }));
      // One event for all: the scene is drawn once.
      this.graph.updateEachNodeAttributes((id, data) => ({ ...data, ...this.places.get(id) }), { attributes: ["x", "y"] });
      if (first) this.fit();
      first = false;
      if (ended) document.body.dataset.arranged = "yes";
    });
    delete document.body.dataset.arranged;
  }

  #settle(concepts, joined) {
    const neighbours = new Map(concepts.map((one) => [one.id, []]));
    for (const one of joined) {
      neighbours.get(one.source).push(one.target);
      neighbours.get(one.target).push(one.source);
    }
    const radius = 10 * Math.sqrt(concepts.length + 1);
    for (const { id } of concepts) {
      if (!this.places.has(id)) this.places.set(id, beginning(id, neighbours.get(id), this.places, radius));
    }
  }

  #concept(one) {
    const glow = one.activation > 0 ? (one.activation / this.top) ** 0.6 : 0;
    const settled = one.strength >= CONSOLIDATED;
    return {
      ...this.places.get(one.id), kind: one.kind, glow, name: one.label, label: short(one.label, 34),
      size: Math.min(22, 4 + 2.1 * Math.log2(1 + one.mentions) + 5 * one.strength + 4 * glow), settled,
      strong: one.kind === "self" || glow > 0.5, faint: glow === 0 && one.kind !== "self",
    };
  }

  #association(one) {
    return {
      weight: Math.max(0.1, one.weight), size: 0.9 + 0.75 * Math.min(5, one.weight), current: one.current,
      contested: one.contested, negated: one.negated, relation: short(`${one.negated ? "¬ " : ""}${one.relation}`, 30),
    };
  }

  /** Make a concept the selected one; null for none. */
  select(id) {
    this.selected = id && this.graph.hasNode(id) ? id : null;
    this.near = new Set(this.selected ? this.graph.neighbors(this.selected) : []);
    this.sigma.refresh({ skipIndexation: true });
  }

  /** Show what a recall activates: {amounts: Map id → 0..1, cues, ends: Sets of ids,
   * edges: Map id → kind, sparing: whether only cues and ends of paths are named}, or null. */
  illuminate(overlay) {
    this.overlay = overlay;
    this.sigma.refresh({ skipIndexation: true });
  }

  /** Add concepts and associations that a recall reached and the graph does not show. */
  admit(concepts, associations) {
    const links = associations.filter((one) => one.source !== one.target);
    for (const one of concepts.filter((found) => !this.graph.hasNode(found.id))) {
      const near = links.flatMap((link) => (link.source === one.id ? [link.target] : link.target === one.id ? [link.source] : []));
      if (!this.places.has(one.id)) this.places.set(one.id, beginning(one.id, near, this.places, 50));
      this.graph.addNode(one.id, this.#concept({ activation: 0, strength: 0, mentions: 1, ...one }));
    }
    for (const one of links) {
      if (this.graph.hasEdge(one.id) || !this.graph.hasNode(one.source) || !this.graph.hasNode(one.target)) continue;
      this.graph.addEdgeWithKey(one.id, one.source, one.target, this.#association({ current: true, ...one }));
    }
  }

  #node(id, data) {
    const paper = colour("paper");
    const drawn = { ...data, color: red(data.glow), rim: data.glow ? mixed(red(data.glow), colour("ink"), 0.25) : colour("rim"), zIndex: data.glow };
    if (data.settled) Object.assign(drawn, { ring: 0.12, gap: 0.14, size: data.size + 2 });
    if (this.overlay) return this.#lit(id, drawn);
    if (this.selected === id) Object.assign(drawn, { highlighted: true, forceLabel: true, zIndex: 3, faint: false });
    else if (this.near.has(id)) Object.assign(drawn, { forceLabel: true, zIndex: 2, faint: false });
    else if (this.selected) Object.assign(drawn, { color: mixed(drawn.color, paper, 0.66), rim: mixed(drawn.rim, paper, 0.66), label: "" });
    return drawn;
  }

  #lit(id, drawn) {
    const { amounts, cues, ends, sparing } = this.overlay;
    const amount = amounts.get(id) ?? 0;
    if (!amount && !ends.has(id)) return { ...drawn, color: colour("dim"), rim: colour("dim"), label: "", zIndex: 0, size: drawn.size * 0.8 };
    const size = drawn.size + 2 * amount;
    const more = { size, forceLabel: !sparing || ends.has(id) || cues.has(id), faint: false, strong: true, zIndex: 2 + amount, color: mixed(colour("dim"), colour("wave"), 0.25 + 0.75 * amount), rim: colour("wave") };
    if (ends.has(id)) Object.assign(more, { rim: colour("path"), ring: 0.2, gap: 0.1, size: size + 2 });
    if (cues.has(id)) Object.assign(more, { color: colour("cue"), rim: colour("cue"), ring: 0.1, gap: 0.14, size: size + 3, zIndex: 4 });
    return { ...drawn, ...more };
  }

  #edge(id, data) {
    const [source, target] = this.graph.extremities(id);
    const glow = Math.min(this.graph.getNodeAttribute(source, "glow"), this.graph.getNodeAttribute(target, "glow"));
    const plain = glow ? mixed(colour("line"), colour("warm"), glow) : colour("line");
    const drawn = { ...data, type: this.plain, color: !data.current ? colour("gone") : data.contested ? colour("amber") : plain, size: data.current ? data.size : 0.6, zIndex: glow };
    if (this.overlay) {
      const kind = this.overlay.edges.get(id);
      if (!kind) return { ...drawn, color: colour("dim"), size: 0.4, zIndex: 0 };
      const path = kind === "path";
      return { ...drawn, type: "arrow", color: colour(kind), size: path ? 3.5 : 1.6, zIndex: path ? 3 : 2, label: path ? data.relation : "", forceLabel: path };
    }
    if (!this.selected) return drawn;
    if (source === this.selected || target === this.selected) return { ...drawn, type: "arrow", label: data.relation, forceLabel: true, size: drawn.size + 0.6, zIndex: 2 };
    return { ...drawn, color: colour("dim"), size: 0.5, zIndex: 0 };
  }

  /** Move the view to a concept. */
  focus(id, ratio = null) {
    const at = this.sigma.getNodeDisplayData(id);
    if (!at) return;
    const camera = this.sigma.getCamera();
    this.#go({ x: at.x, y: at.y, ratio: ratio ?? Math.min(camera.ratio, 0.5) });
  }

  /** Bring some concepts into view. */
  frame(ids) {
    const at = ids.map((id) => this.sigma.getNodeDisplayData(id)).filter(Boolean);
    if (!at.length) return;
    const [xs, ys] = [at.map((one) => one.x), at.map((one) => one.y)];
    const wide = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    const middle = (values) => (Math.max(...values) + Math.min(...values)) / 2;
    this.#go({ x: middle(xs), y: middle(ys), ratio: Math.min(1.1, Math.max(0.18, 1.5 * wide)) });
  }

  /** The whole graph. */
  fit() {
    this.#go({ x: 0.5, y: 0.5, ratio: 1.05, angle: 0 });
  }

  /** Come nearer (factor below 1) or go away. */
  zoom(factor) {
    const camera = this.sigma.getCamera();
    this.#go({ ratio: this.sigma.getCamera().getBoundedRatio(camera.ratio * factor) });
  }

  /** Move the view by a share of what is seen. */
  pan(right, down) {
    const camera = this.sigma.getCamera();
    this.#go({ x: camera.x + right * camera.ratio, y: camera.y - down * camera.ratio });
  }

  #go(to) {
    const camera = this.sigma.getCamera();
    if (still()) camera.setState(to);
    else camera.animate(to, { duration: 350 });
  }

  /** The concept next to one in a direction (radians, screen), or null. */
  towards(id, angle) {
    const here = this.sigma.getNodeDisplayData(id);
    let best = [Infinity, null];
    for (const other of this.graph.neighbors(id)) {
      const there = this.sigma.getNodeDisplayData(other);
      const [dx, dy] = [there.x - here.x, here.y - there.y];
      const turned = Math.abs(((Math.atan2(dy, dx) - angle + 3 * Math.PI) % (2 * Math.PI)) - Math.PI);
      const far = Math.hypot(dx, dy) * (1 + turned);
      if (turned < Math.PI / 3 && far < best[0]) best = [far, other];
    }
    return best[1];
  }

  /** Draw with the colours of the theme that is shown now. */
  recolour() {
    read();
    this.sigma.setSetting("edgeLabelColor", { color: colour("quiet") });
    this.sigma.refresh({ skipIndexation: true });
  }
}
