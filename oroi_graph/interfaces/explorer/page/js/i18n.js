// Words of the page in the reader's language.

export const LANGUAGES = { en: "English", es: "Español", pt: "Português" };

let words = {};
export let language = "en";

/** Load the texts of one language; English stands in for what it lacks. */
export async function speak(code) {
  const known = code in LANGUAGES ? code : "en";
  const [english, own] = await Promise.all(["en", known].map(async (one) => (await fetch(`/locales/${one}.json`)).json()));
  words = { ...english, ...own };
  language = known;
  document.documentElement.lang = known;
}

/** The language that the reader chose before, or that the browser prefers. */
export function preferred() {
  const wished = [localStorage.getItem("oroi.language"), ...navigator.languages].filter(Boolean);
  return wished.map((one) => one.slice(0, 2)).find((one) => one in LANGUAGES) ?? "en";
}

/** A text by its key; {name} is replaced. A number `n` that is 1 takes the text `key.one` where there is one. */
export function t(key, given = {}) {
  const found = (given.n === 1 && words[`${key}.one`]) || words[key] || key;
  return found.replace(/\{(\w+)\}/gu, (whole, name) => (name in given ? format(given[name]) : whole));
}

function format(value) {
  return typeof value === "number" ? number(value) : String(value);
}

/** A number as the language writes it. */
export function number(value, digits = 2) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/** A day, from an ISO time or seconds since 1970; the text itself if it is neither. */
export function day(at) {
  const date = typeof at === "number" ? new Date(at * 1000) : new Date(at);
  if (at === null || at === undefined || Number.isNaN(date.getTime())) return at ?? "";
  return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(date);
}
