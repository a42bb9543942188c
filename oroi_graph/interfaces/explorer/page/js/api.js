// The HTTP API as functions of one memory. Whatever goes wrong is a Refusal with the words of the problem's detail.

import { keyOf } from "./session.js";

/** What the API refused. kind: the name of the problem ("plan-changed", "key-refused", …). */
export class Refusal extends Error {
  constructor(status, kind, detail) {
    super(detail);
    this.status = status;
    this.kind = kind;
  }
}

/** One request. given: query parameters; body: what is sent as JSON. */
export async function request(key, method, path, { query = {}, body, headers = {}, signal } = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const asked = kept.length ? `?${new URLSearchParams(kept)}` : "";
  const sent = { Authorization: `Bearer ${key}`, ...headers };
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/v1${path}${asked}`, { method, headers: sent, body: body === undefined ? undefined : JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "gone", "");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, (said.type ?? "").split(":").pop(), said.detail ?? answer.statusText);
  return said;
}

/** The operations on one memory that the page uses. */
export function memoryApi(memory) {
  const call = (method, path, more) => request(keyOf(memory), method, path, more);
  const id = encodeURIComponent;
  return {
    overview: () => call("GET", "/memory"),
    graph: (turn, limit, signal) => call("GET", "/graph", { query: { memory, turn, limit }, signal }),
    like: (text, signal) => call("GET", "/concepts", { query: { like: text, memory }, signal }),
    concept: (one) => call("GET", `/concepts/${id(one)}`, { query: { memory } }),
    spread: (question, memories) => call("POST", "/spread", { body: { question, memories } }),
    timeline: (before) => call("GET", "/timeline", { query: { memory, before, limit: 30 } }),
    episode: (one) => call("GET", `/episodes/${id(one)}`, { query: { memory } }),
    correct: (fact, change) => call("PATCH", `/facts/${id(fact)}`, { body: change }),
    deleteFact: (fact) => call("DELETE", `/facts/${id(fact)}`),
    planForgetting: (what) => call("POST", "/forget/plan", { body: { what } }),
    forget: (what, plan) => call("POST", "/forget", { body: { what, plan } }),
    undo: (dryRun) => call("POST", "/undo", { body: { dry_run: dryRun } }),
    merges: () => call("GET", "/merges"),
    doubtful: () => call("GET", "/doubtful"),
    merge: (first, second) => call("POST", "/merges", { body: { first, second } }),
    undoMerge: (one, later) => call("POST", `/merges/${id(one)}/undo`, { body: { later } }),
    conflicts: () => call("GET", "/contract/conflicts"),
    settle: (ids, entry, token) =>
      call("POST", "/contract/settlements", { body: { ids, entry }, headers: token ? { "X-Author-Token": token } : {} }),
    notes: () => call("GET", "/notes", { query: { memory } }),
    note: (path) => call("GET", "/notes/content", { query: { path, memory } }),
    findNotes: (query) => call("GET", "/notes/search", { query: { query, memory } }),
  };
}
