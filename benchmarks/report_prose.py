"""What `evaluation_report.py` says around its tables; every figure in it is filled in."""

from __future__ import annotations

from report_inputs import NEWEST

from oroi_graph.evaluation import statistics
from oroi_graph.evaluation.baselines import conditions, pagerank
from oroi_graph.options import Options

HEAD = """# Evaluation

<!-- Written by benchmarks/evaluation_report.py from the results of the measurements. Edit those, not this page. -->

This page says how much the memory recalls beside baselines that read the same memories, what each mechanism earns, and
what it costs. Shares are in per cent, differences in points, intervals of {confidence:.0f} %. [Methods](#methods) says
how everything was measured. [Honest losses](#honest-losses) lists every case in which a baseline is better.
"""

SETS = """A **development** set guided choices: something was fitted on it, or a decision cites its figures. Its figures
are no forecast for other data. A **sealed** set was measured once, after the last choice, and nothing was changed
because of it. Only sealed sets are forecasts. Each section says why its set has its label.

*After* names the last [decision](decisions/README.md) about what is read, ranked or enters a brief that the measured
code had; the newest is {newest}. The figures of older measurements are those of an older memory. Sealed sets, and
those that were meant to be measured once, are not measured again. Ablations were not repeated for their cost. Newer
figures of latency are in [how cost grows](cost.md).
"""

LOSSES = """Every metric and group, of every measurement, in which a baseline is above the product. For the metric by
which conditions are compared, the interval is that of the paired difference. For other metrics, both intervals are
given.
"""

WINDOWS = """How the times that questions name are read as windows of days, and how well dialogues are found by time and
theme. [Time windows](windows.md#figures) and [questions about a time](windows-recall.md#how-good-it-is) say what the
figures mean. Of the dates, shares have Wilson's interval; of the dialogues, the condition that was chosen is in bold.
"""

ABLATIONS = """Each row is the product with one mechanism removed or changed, asked the same questions. What a mechanism
*earns* is the difference, product − variant. Above zero, the mechanism helps. *whose*: a `source` mechanism belongs to
the paper that the product follows and stays whatever it earns here; an `ours` mechanism was added to recall. Some
variants are mechanisms that the product had and lost; their row is the measurement for which they were removed. All
these sets are development sets: mechanisms of ours were kept because they helped on them. A positive figure shows that
a mechanism does something there, not how much it is worth elsewhere.
"""

LATENCY = """*Floor*: the operation's own statements, sent by the bare driver to a copy of the memory. *Ratio*:
operation divided by floor, the median of pairs. All texts are embedded beforehand.
"""

THROUGHPUT = """Agents perceive, read the brief and close without a pause. *distinct*: each agent has a memory of its
own. *one*: all agents share one memory, whose writers wait for one another.
"""

METHODS = """**One memory, read by all.** The product perceives each scenario, conversation or corpus once, into a
memory of its own. All conditions read that memory. A checksum over every node, relationship and property, before the
first condition and after the last, shows that reading changed nothing. Questions are asked after the last turn.

**Conditions.** All have {budget} tokens, counted by the same counter, and quote in the same way.

- *none*: the last {window} turns.
- *hybrid*: cosine and BM25, fused by reciprocal ranks (k = {rrf}); up to {most} records.
- *hybrid-z*: z-scores of cosine and, times {words}, of BM25 over each record with its neighbours. The weight was chosen
  on conversations of LoCoMo: a stronger baseline than is usual.
- *facts*: the memory's own facts by the similarity of their sentences.
- *rerank*: the {similar} most similar records, re-ordered by the activation of what they mention.
- *pagerank*: personalised PageRank over the memory's own graph, after HippoRAG (damping {damping}, synonym links from a
  cosine of {synonyms}); similarity decides where the graph says nothing.
- *oroi*: the product, with its defaults.

**Scores.** Scenarios: a probe is right if the context says everything that it requires and nothing that it forbids, in
whole words (recall_at_context). LoCoMo and MuSiQue: the share of a question's evidence among the first k records that
were ranked (recall@k), whether all of it is (all@k), and the share that the context quotes (quoted). No model judges
these. LoCoMo's global figures are over categories 1 to 4; category 5 asks for what was not said, and is a group of its
own.

**How sure.** Shares have Wilson's interval; means and paired differences that of the bootstrap over questions
({resamples} resamples, fixed seed). Comparisons are question by question: wins, losses, and the exact two-sided p of
the sign test, which is McNemar's where answers are right or wrong. Many comparisons are shown and none is corrected for
their number: some will look sure by chance.

**Ablations.** Variants that only recall differently read the product's memory; those that perceive differently have one
of their own, made of the same turns under the same name, so that ids, which decide between equals, are the same.

**Providers.** Embeddings by {embedders}; seeds {seeds}. With offline providers two runs give the same results, but for
their times.
"""

LIMITS = """- **Development sets.** Ranker weights were fitted on the LoCoMo and MuSiQue files. Rules of recall were
  developed on scenarios of the development seed and on the authored scenarios. The final seed and the unseen authored
  scenarios were meant for one last measurement; decisions cite their figures, so they count as development sets.
- **The sealed seed draws other scenarios from the same templates and words** as the final seed. It shows whether single
  scenarios were tuned on. It does not show how the memory does on other people's sentences.
- **Templates.** Generated sentences come from templates, in English and Spanish. One team wrote the templates and the
  memory that answers them, which helps the memory. The authored scenarios were written one by one by a language model
  that knew neither templates nor code: their figures are lower, and the better forecast.
- **Evidence is not an answer.** Recall says what a model could read, not what it would answer.
- **Times** are those of one machine under one load: compare them within one file only. Milliseconds of an answer do not
  include embedding the question."""


def head() -> str:
    """The beginning of the page."""
    return HEAD.format(confidence=100 * statistics.CONFIDENCE)


def sets() -> str:
    """What the labels of data sets and measurements mean."""
    return SETS.format(newest=NEWEST)


def methods(embedders: list[str], seeds: list[int]) -> str:
    """How everything was measured, with the constants of the evaluation itself."""
    return METHODS.format(
        budget=Options().brief_tokens,
        window=conditions.WINDOW,
        most=conditions.MOST,
        rrf=conditions.RRF,
        words=conditions.WORDS,
        similar=conditions.SIMILAR,
        damping=pagerank.DAMPING,
        synonyms=pagerank.SYNONYMS,
        resamples=statistics.RESAMPLES,
        embedders=", ".join(embedders) or "none",
        seeds=", ".join(map(str, seeds)) or "none",
    )
