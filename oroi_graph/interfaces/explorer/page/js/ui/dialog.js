// Dialogs. Whatever deletes or changes something shows what it will do before it can be confirmed.

import { Refusal } from "../api.js";
import { t } from "../i18n.js";
import { aloud, button, fill, h, words } from "./dom.js";

/** Open a dialog: {title, body, actions}. Gives the element; it is removed when it closes. */
export function open({ title, body, actions = [], wide = false }) {
  const heading = h("h2", { id: "dialog-title", tabindex: "-1" }, title);
  const back = document.activeElement;
  const dialog = h("dialog", { "aria-labelledby": "dialog-title", class: wide && "wide" },
    h("header", {}, heading, button(t("close"), { class: "plain", onclick: () => dialog.close() }, "close", false)),
    h("div", { class: "dialog-body" }, body),
    actions.length ? h("footer", {}, actions) : null);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (back?.isConnected) back.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  heading.focus();
  return dialog;
}

/**
 * Ask before something is done. plan: what will happen, an element or a promise of {shown, ready, work}; ready false:
 * nothing to confirm. done: called with what `work` gave.
 */
export async function confirm({ title, plan, verb, danger = false, done }) {
  const body = h("div", { class: "plan", "aria-busy": "true" }, h("p", { class: "quiet" }, t("working")));
  const go = button(verb, { class: danger ? "danger" : "main", disabled: true });
  const dialog = open({ title, body, actions: [button(t("cancel"), { onclick: () => dialog.close() }), go] });
  const prepare = async () => {
    try {
      const { shown, ready, work } = await plan();
      fill(body, shown);
      go.disabled = !ready;
      go.onclick = () => act(work);
    } catch (error) {
      fill(body, refusal(error));
    }
    body.removeAttribute("aria-busy");
  };
  const act = async (work) => {
    go.disabled = true;
    try {
      const found = await work();
      dialog.close();
      await done(found);
    } catch (error) {
      const changed = error instanceof Refusal && error.kind === "plan-changed";
      if (changed) await prepare();
      body.prepend(refusal(error));
      if (!changed) go.disabled = false;
    }
  };
  await prepare();
}

/** What went wrong, as an element that is read out. */
export function refusal(error) {
  const gone = error instanceof Refusal && error.kind === "gone";
  if (!(error instanceof Refusal)) console.error(error);
  return h("p", { class: "refused", role: "alert" }, words(gone ? t("gone") : error.message));
}

/** A short remark that goes away by itself. */
export function remark(text) {
  const shown = h("p", { class: "remark" }, text);
  document.body.append(shown);
  aloud(text);
  setTimeout(() => shown.remove(), 5000);
}
