// The slider of turns: the graph as it was.

import { t } from "../i18n.js";
import { on, set, state } from "../state.js";
import { button, calm, fill, h } from "../ui/dom.js";

const PACE = 650; // milliseconds between two turns that play by themselves

/** Put the slider into an element. */
export function timeBar(element) {
  const slider = h("input", { type: "range", min: "0", max: "0", step: "1", id: "turn" });
  const label = h("output", { for: "turn", class: "turn-now" });
  const about = h("p", { class: "quiet about" });
  const now = button(t("time.now"), { class: "small", onclick: () => set({ turn: null }) });
  const play = h("span");
  let timer = 0;
  const halt = () => { clearInterval(timer); timer = 0; draw(); };
  const tick = () => {
    const next = (state.turn ?? 0) + 1;
    set({ turn: next >= last() ? null : next });
    if (state.turn === null) halt();
  };
  const start = () => {
    if (state.turn === null) set({ turn: 0 });
    timer = setInterval(tick, PACE);
    draw();
  };
  const last = () => state.graph?.turns ?? 0;
  const ask = calm((turn) => set({ turn: turn >= last() ? null : turn }), 60);
  slider.addEventListener("input", () => { if (timer) halt(); ask(Number(slider.value)); });
  const draw = () => {
    slider.max = String(last());
    slider.disabled = last() === 0;
    slider.value = String(state.turn ?? last());
    const words = state.turn === null ? t("time.atnow", { turn: last() }) : t("time.at", { turn: state.turn, turns: last() });
    slider.setAttribute("aria-valuetext", words);
    fill(label, words);
    fill(about, state.turn === null ? t("time.about") : t("time.estimate"));
    now.disabled = state.turn === null;
    fill(play, button(t(timer ? "time.pause" : "time.play"), { class: "plain", disabled: last() === 0, onclick: () => (timer ? halt() : start()) }, timer ? "pause" : "play", false));
  };
  fill(element, play, h("label", { for: "turn", class: "unseen" }, t("time")), h("div", { class: "track" }, slider, about), label, now);
  on(["turn", "graph", "memory"], draw);
}
