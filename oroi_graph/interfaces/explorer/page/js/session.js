// The keys of this tab: one for each memory. They are kept for the tab alone, and sent as a header, never in an address.

const KEPT = "oroi.keys";

let keys = [];

/** Trade the link's code for keys, or take those that this tab has already. False: neither is there. */
export async function begin() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  keys = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  if (code) {
    history.replaceState(null, "", location.pathname);
    const answer = await fetch("/session", { method: "POST", body: code });
    if (answer.ok) keep((await answer.json()).keys);
    else if (!keys.length) return false;
  }
  return keys.length > 0;
}

/** Open what a key of `oroi key create` opens. Raises what the API answers. */
export async function openWith(text, ask) {
  const found = await ask(text);
  keep([...keys.filter((one) => one.memory !== found.memory), { memory: found.memory, key: text }]);
  return found.memory;
}

/** Give up the keys: they open nothing any more. */
export function end() {
  keep([]);
}

/** Names of the memories that can be opened. */
export const memories = () => keys.map((one) => one.memory);

/** The key of a memory. */
export const keyOf = (memory) => keys.find((one) => one.memory === memory)?.key;

function keep(found) {
  keys = found;
  sessionStorage.setItem(KEPT, JSON.stringify(keys));
}
