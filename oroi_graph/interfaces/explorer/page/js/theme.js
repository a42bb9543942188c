// Light or dark: as the system has it, until the reader chooses.

const KEPT = "oroi.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

const shown = () => localStorage.getItem(KEPT) ?? (dark.matches ? "dark" : "light");

/** Show the theme, now and whenever the system's changes. changed: called after each change. */
export function begin(changed) {
  const show = () => { document.documentElement.dataset.theme = shown(); changed(); };
  dark.addEventListener("change", show);
  document.documentElement.dataset.theme = shown();
}

/** The other theme. */
export function turn(changed) {
  localStorage.setItem(KEPT, shown() === "dark" ? "light" : "dark");
  document.documentElement.dataset.theme = shown();
  changed();
}
