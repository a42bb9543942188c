// What the page shows, in one place. Views listen to the parts they draw.

const listeners = new Map();

export const state = {
  memory: null, // name
  api: null, // operations on it
  overview: null, // rights and sizes
  graph: null, // of the turn that is shown
  turn: null, // null: now
  view: "graph",
  selected: null, // id of a concept
  panel: null, // "concept", "recall" or null
  recall: null, // an answer of /v1/spread with the question
  step: null, // what is shown of it: {stage, round}
};

/** Change some parts; those who listen to any of them are told once. */
export function set(changes) {
  const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  Object.assign(state, changes);
  const told = new Set(changed.flatMap((name) => [...(listeners.get(name) ?? [])]));
  for (const listener of told) listener(state);
}

/** Call `listener` whenever one of `names` changes. */
export function on(names, listener) {
  for (const name of names) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
  }
}

/** Whether the key of the memory has a right. */
export const may = (right) => state.overview?.rights.includes(right) ?? false;
