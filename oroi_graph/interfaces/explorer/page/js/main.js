// The page begins here: keys, language, theme; then the frame with its views over one memory.

import { memoryApi, Refusal } from "./api.js";
import { preferred, speak, t } from "./i18n.js";
import { begin, end, memories } from "./session.js";
import { on, set, state } from "./state.js";
import * as theme from "./theme.js";
import { refusal } from "./ui/dialog.js";
import { button, fill, h, words } from "./ui/dom.js";
import { conceptPage } from "./views/concept.js";
import { help, questionBar, topBar, VIEWS } from "./views/frame.js";
import { graphView } from "./views/graph.js";
import { notesView } from "./views/notes.js";
import { recallPanel } from "./views/recall.js";
import { reviewView } from "./views/review.js";
import { saidView } from "./views/said.js";
import { tableView } from "./views/table.js";
import { timeBar } from "./views/time.js";

const MOST = 5000; // concepts of a graph

const app = document.getElementById("app");
let scene = null;
let asked = null;

/** Read the graph of the turn that is shown. */
async function loadGraph() {
  asked?.abort();
  asked = new AbortController();
  const memory = state.memory;
  try {
    const graph = await state.api.graph(state.turn, MOST, asked.signal);
    if (memory === state.memory) set({ graph });
  } catch (error) {
    if (error.name !== "AbortError") failed(error);
  }
}

/** Open another memory. */
async function choose(memory) {
  set({ memory, api: memoryApi(memory), overview: null, turn: null, selected: null, panel: null, recall: null });
  try {
    set({ overview: await state.api.overview() });
    document.title = `${memory} · oroi`;
    await loadGraph();
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (error instanceof Refusal && error.status === 401) {
    end();
    return closed();
  }
  return fill(document.getElementById("failure"), refusal(error), button(t("again"), { class: "small", onclick: () => { fill(document.getElementById("failure")); choose(state.memory); } }));
}

function frame() {
  const views = Object.fromEntries(VIEWS.map((view) => [view, h("section", { class: ["view", `view-${view}`], "aria-label": t(view), hidden: view !== state.view })]));
  const concept = h("div");
  const recall = h("div");
  const side = h("aside", { id: "side", "aria-label": t("details"), hidden: true, tabindex: "-1" },
    button(t("close"), { class: "plain shut", onclick: () => set({ panel: null, selected: null }) }, "close", false), concept, recall);
  const time = h("footer", { class: "time", role: "group", "aria-label": t("time") });
  const question = questionBar();
  fill(app, h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); document.getElementById("main").focus(); } }, t("skip")),
    topBar({ chosen: choose, spoken: async (code) => { localStorage.setItem("oroi.language", code); await speak(code); location.reload(); }, themed: () => theme.turn(() => scene.recolour()) }),
    h("main", { id: "main", tabindex: "-1" }, h("h1", { class: "unseen" }, t("title")), h("div", { class: "asking" }, question), h("div", { id: "failure" }), h("div", { class: "stage" }, Object.values(views), side), time));
  scene = graphView(views.graph);
  tableView(views.table);
  saidView(views.said, loadGraph);
  reviewView(views.review, loadGraph);
  notesView(views.notes);
  conceptPage(concept, loadGraph);
  recallPanel(recall);
  timeBar(time);
  on(["view"], () => {
    for (const [name, view] of Object.entries(views)) view.hidden = name !== state.view;
    time.hidden = !["graph", "table"].includes(state.view);
  });
  on(["panel"], () => {
    side.hidden = state.panel === null;
    concept.hidden = state.panel !== "concept";
    recall.hidden = state.panel !== "recall";
    side.scrollTop = 0;
  });
  on(["selected"], () => { side.scrollTop = 0; });
  on(["turn"], loadGraph);
}

function shortcuts(event) {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (event.key === "Escape" && !document.querySelector("dialog") && state.panel) set({ panel: null, selected: null });
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("search").focus();
  } else if (event.key === "?") help();
  else if (/^[1-5]$/u.test(event.key)) set({ view: VIEWS[Number(event.key) - 1] });
}

function closed() {
  fill(app, h("main", { class: "closed" }, h("img", { src: "/icon.svg", alt: "", width: "64", height: "64" }), h("h1", {}, t("closed")), h("p", {}, words(t("closed.about")))));
}

async function start() {
  await speak(preferred());
  theme.begin(() => scene?.recolour());
  if (!(await begin())) return closed();
  frame();
  document.addEventListener("keydown", shortcuts);
  addEventListener("hashchange", () => location.hash.startsWith("#code=") && location.reload());
  const kept = sessionStorage.getItem("oroi.memory");
  on(["memory"], () => sessionStorage.setItem("oroi.memory", state.memory));
  await choose(memories().includes(kept) ? kept : memories()[0]);
  globalThis.oroi = { scene, state }; // for measurements
  return undefined;
}

start();
