// What a person may change. Each shows its plan before anything is done.

import { confirm, refusal, remark } from "../ui/dialog.js";
import { fill, h, stored, visible } from "../ui/dom.js";
import { t } from "../i18n.js";
import { state } from "../state.js";
import { factLine } from "./facts.js";

/** Replace one fact by another. changed: called afterwards. */
export function correctFact(fact, changed) {
  const field = (name, value, hint = null) => {
    const input = h("input", { id: `fix-${name}`, value: value ?? "", autocomplete: "off", "aria-describedby": hint && `fix-${name}-hint` });
    return { input, row: h("div", { class: "field" }, h("label", { for: `fix-${name}` }, t(`fact.${name}`)), input, hint && h("p", { class: "hint", id: `fix-${name}-hint` }, hint)) };
  };
  const [relation, target, when] = [field("relation", visible(fact.relation)), field("target", visible(fact.target)), field("when", fact.when, t("fact.when.hint"))];
  const preview = h("div", { class: "preview", "aria-live": "polite" });
  const change = () => ({
    ...(relation.input.value.trim() !== visible(fact.relation) ? { relation: relation.input.value.trim() } : {}),
    ...(target.input.value.trim() !== visible(fact.target) ? { target: target.input.value.trim() } : {}),
    ...(when.input.value.trim() !== (fact.when ?? "") ? { when: when.input.value.trim() } : {}),
  });
  const show = () => {
    const then = { ...fact, current: true, relation: relation.input.value, target: target.input.value, when: when.input.value };
    fill(preview, h("h3", {}, t("plan.will")), h("p", {}, h("span", { class: "tag minus" }, t("plan.ends")), factLine({ ...fact, current: false })),
      h("p", {}, h("span", { class: "tag plus" }, t("plan.begins")), factLine(then)), h("p", { class: "quiet" }, t("correct.kept")));
  };
  for (const { input } of [relation, target, when]) input.addEventListener("input", show);
  show();
  confirm({
    title: t("correct.title"), verb: t("correct.do"), done: (found) => { remark(t("correct.done")); return changed(found); },
    plan: async () => ({ ready: true, shown: [relation.row, target.row, when.row, preview], work: () => state.api.correct(fact.id, change()) }),
  });
}

/** Delete one fact; its words stay. */
export function deleteFact(fact, changed) {
  confirm({
    title: t("delete.title"), verb: t("delete.do"), danger: true, done: (found) => { remark(t("delete.done")); return changed(found); },
    plan: async () => ({
      ready: true, work: () => state.api.deleteFact(fact.id),
      shown: [h("p", {}, h("span", { class: "tag minus" }, t("plan.goes")), factLine(fact)), h("p", { class: "quiet" }, t("delete.kept"))],
    }),
  });
}

/** Forget something for ever. what: an id or words; name: as people call it. */
export function forget(what, name, changed) {
  confirm({
    title: t("forget.title", { name: visible(name) }), verb: t("forget.do"), danger: true,
    done: (found) => { remark(t("forget.done", { n: found.remains ?? 0 })); return changed(found); },
    plan: async () => {
      const plan = await state.api.planForgetting(what);
      return { ready: plan.plan !== null, shown: planned(plan), work: () => state.api.forget(what, plan.plan) };
    },
  });
}

function planned(plan) {
  const list = (title, texts) => texts.length ? h("section", {}, h("h3", {}, `${t(title)} `, h("span", { class: "count" }, texts.length)), h("ul", { class: "lines" }, texts.map((text) => h("li", {}, stored(text))))) : null;
  if (plan.plan === null) {
    return [h("p", {}, plan.reason ?? t("forget.nothing")), plan.suggestions.length ? h("p", {}, `${t("forget.meant")} `, plan.suggestions.map((one) => h("span", { class: "chip" }, stored(one)))) : null];
  }
  return [h("p", { class: "warning" }, t("forget.warning")), list("forget.concepts", plan.concepts), list("forget.facts", plan.facts), list("forget.episodes", plan.episodes)];
}

/** Take back the last turn. */
export function undoTurn(changed) {
  confirm({
    title: t("undo.title"), verb: t("undo.do"), danger: true, done: (found) => { remark(t("undo.done", { turn: found.turn })); return changed(found); },
    plan: async () => {
      const plan = await state.api.undo(true);
      const page = await state.api.timeline(null);
      const words = page.episodes.filter((one) => one.turn === plan.turn);
      return {
        ready: true, work: () => state.api.undo(false),
        shown: [h("p", {}, t("undo.plan", { turn: plan.turn })), h("ul", { class: "lines" }, words.map((one) => h("li", {}, h("strong", {}, stored(one.speaker)), ": ", stored(one.verbatim))))],
      };
    },
  });
}

/** Make one concept of two. */
export function mergePair(pair, changed) {
  confirm({
    title: t("merge.title"), verb: t("merge.do"), done: (found) => { remark(t("merge.done", { name: visible(found.merge.survivor) })); return changed(found); },
    plan: async () => {
      const [first, second] = await Promise.all([pair.first_id, pair.second_id].map((id) => state.api.concept(id)));
      const side = (page) => h("section", {}, h("h3", {}, stored(page.concept.label)), h("p", { class: "quiet" }, t("mentions", { n: page.concept.mentions })), h("ul", { class: "lines" }, page.facts.slice(0, 8).map((fact) => h("li", {}, factLine(fact)))));
      return { ready: true, work: () => state.api.merge(pair.first_id, pair.second_id), shown: [h("p", {}, t("merge.plan")), h("div", { class: "two" }, side(first), side(second))] };
    },
  });
}

/** Undo a merge; with those that were built on it if there are some and the reader agrees. */
export function undoMerge(merge, changed) {
  const later = h("input", { type: "checkbox", id: "undo-later" });
  confirm({
    title: t("unmerge.title"), verb: t("unmerge.do"), done: (found) => { remark(t("unmerge.done", { n: found.undone.length })); return changed(found); },
    plan: async () => ({
      ready: true, work: () => state.api.undoMerge(merge.id, later.checked),
      shown: [h("p", {}, t("unmerge.plan"), " ", stored(merge.survivor), " + ", stored(merge.absorbed)), h("p", { class: "field inline" }, later, h("label", { for: "undo-later" }, t("unmerge.later")))],
    }),
  });
}

/** Settle a dispute of the contract: one side's words, or others. */
export function settle(dispute, changed) {
  const author = h("input", { id: "settle-author", autocomplete: "off", value: sessionStorage.getItem("oroi.author") ?? "" });
  const token = h("input", { id: "settle-token", type: "password", autocomplete: "off" });
  const value = h("textarea", { id: "settle-value", rows: "3" });
  const sides = dispute.entries.map((entry) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "side", onchange: () => { value.value = entry.field_value ?? ""; } }),
    h("span", {}, stored(entry.field_value ?? ""), h("small", { class: "quiet" }, t("review.by", { author: visible(entry.ia_author) })))));
  const labelled = (input, text) => h("div", { class: "field" }, h("label", { for: input.id }, text), input);
  confirm({
    title: t("settle.title", { key: visible(dispute.field_key) }), verb: t("settle.do"), done: (found) => { remark(t("settle.done")); return changed(found); },
    plan: async () => ({
      ready: true,
      work: () => {
        sessionStorage.setItem("oroi.author", author.value.trim());
        return state.api.settle([dispute.id], { ia_author: author.value.trim(), field_value: value.value.trim(), confidence_score: 1 }, token.value.trim());
      },
      shown: [h("p", {}, t("settle.plan")), h("fieldset", {}, h("legend", {}, t("settle.sides")), sides), labelled(value, t("settle.value")), h("div", { class: "two" }, labelled(author, t("settle.author")), labelled(token, t("settle.token")))],
    }),
  });
}

export { refusal };
