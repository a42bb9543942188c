// Colours of the scene, read from the style sheet so that both themes have theirs.

const STEPS = 32;

let colours = {};
let reds = [];

/** Read the colours of the theme that is shown. */
export function read() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  const names = ["paper", "ink", "quiet", "asleep", "rim", "line", "gone", "warm", "cue", "wave", "path", "dim", "amber", "veil"];
  colours = Object.fromEntries(names.map((name) => [name, of(`--scene-${name}`)]));
  const stops = ["--red-0", "--red-1", "--red-2", "--red-3"].map((name) => channels(of(name)));
  reds = Array.from({ length: STEPS + 1 }, (_, step) => between(stops, step / STEPS));
  return colours;
}

export const colour = (name) => colours[name];

/** A colour as red, green and blue from 0 to 1. */
export const parts = (name) => channels(colours[name]).map((value) => value / 255);

/** The red of an activation, 0..1; what is asleep is grey. */
export const red = (glow) => (glow > 0 ? reds[Math.round(Math.min(1, glow) * STEPS)] : colours.asleep);

/** A colour between two others. share: 0..1 of the second. */
export function mixed(first, second, share) {
  return between([channels(first), channels(second)], share);
}

function between(stops, at) {
  const place = Math.min(at, 0.9999) * (stops.length - 1);
  const [low, share] = [Math.floor(place), place % 1];
  const mix = stops[low].map((value, i) => Math.round(value + (stops[low + 1][i] - value) * share));
  return `#${mix.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function channels(hex) {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}
