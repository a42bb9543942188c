// Elements are made here and nowhere else. What is remembered only ever becomes text: no function takes markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element. given: attributes; `on*` functions are listeners, `class` may be a list; null and false are left out. */
export function h(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = [value].flat().filter(Boolean).join(" ");
    else if (name === "value" || name === "checked" || name === "disabled") made[name] = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** Words of ours, of the page or a refusal: what stands between backticks is typed in a terminal. */
export function words(text) {
  return text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));
}

/** Stored text, isolated so that its direction changes nothing around it. */
export function stored(text, given = {}) {
  return h("bdi", given, visible(text));
}

/** Text without characters that control direction or are not shown: they could make one label look like another. */
export function visible(text) {
  return String(text ?? "").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, "");
}

/** One line, cut with an ellipsis. */
export function short(text, longest = 40) {
  const line = visible(text).replace(/\s+/gu, " ").trim();
  const letters = [...line];
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join("").trimEnd()}…`;
}

/** Put other children into an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const PATHS = {
  graph: "M5 18a3 3 0 1 0 6 0 3 3 0 0 0-6 0ZM14 6a3 3 0 1 0 6 0 3 3 0 0 0-6 0ZM10 16l5-8M16 18a2 2 0 1 0 4 0 2 2 0 0 0-4 0ZM11 18h5",
  table: "M4 5h16v14H4ZM4 10h16M4 15h16M10 5v14",
  said: "M4 5h16v11H11l-4 4v-4H4Z",
  review: "M5 6h5l4 12h5M5 18h5l1.500-4.500M13 9l1-3h5M17 4l2 2-2 2M17 16l2 2-2 2",
  notes: "M6 3h9l4 4v14H6ZM14 3v5h5M9 12h7M9 16h7",
  search: "M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13ZM15.500 15.500 20 20",
  close: "M6 6l12 12M18 6 6 18",
  play: "M7 5v14l12-7Z",
  pause: "M8 5v14M16 5v14",
  step: "M6 5v14l9-7ZM18 5v14",
  again: "M5 12a7 7 0 1 1 2 5M5 12V7M5 12h5",
  theme: "M12 4a8 8 0 1 0 0 16ZM12 4a8 8 0 0 1 0 16",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.700.300-1 .900-1 1.700M12 16.800v.200",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM11 12l8-8M16 7l3 3",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  ask: "M4 12h14M12 6l6 6-6 6",
};

/** A small drawing beside words; it says nothing by itself. */
export function icon(name) {
  const drawn = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" })) drawn.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  drawn.append(path);
  return drawn;
}

/** A button with a drawing, and its words if it shows them. */
export function button(words, given = {}, drawing = null, shown = true) {
  const label = shown ? h("span", {}, words) : null;
  return h("button", { type: "button", ...given, ...(shown ? {} : { "aria-label": words, title: words }) }, drawing && icon(drawing), label);
}

/** Say something to those who listen to the page. */
export function aloud(text) {
  document.getElementById("said-aloud").textContent = visible(text);
}

/** A bar. share: 0..1 of its length; said: the value in words. */
export function gauge(share, tone, label, said) {
  const bar = h("span");
  bar.style.inlineSize = `${Math.round(1000 * Math.max(0, Math.min(1, share))) / 10}%`;
  return h("span", { class: ["gauge", tone], role: "meter", "aria-valuemin": 0, "aria-valuemax": 1, "aria-valuenow": Math.max(0, Math.min(1, share)).toFixed(3), "aria-valuetext": said, "aria-label": label }, bar);
}

/** Wait until nothing was asked for `milliseconds`, then do the last that was asked. */
export function calm(work, milliseconds) {
  let waiting = 0;
  return (...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => work(...given), milliseconds);
  };
}
