"""What `evaluation_report.py` says around its tables; every figure in it is filled in."""

from __future__ import annotations

from oroi_graph.evaluation import statistics
from oroi_graph.evaluation.baselines import conditions, pagerank
from oroi_graph.options import Options

HEAD = """# Evaluation

<!-- Written by benchmarks/evaluation_report.py from the results of the measurements: change those, not this. -->

How much the memory recalls, beside baselines that read the same memories; what each mechanism earns; what it costs.
Shares are in per cent, differences in points, intervals of {confidence:.0f} %. How it was done is under
[Methods](#methods); where the product is worse than something simpler is under [Honest losses](#honest-losses).
"""

LOSSES = """Every metric and group, of every measurement, in which a baseline is above the product. Of the metric that
conditions are compared by, the interval is that of the paired difference; of the others, both intervals are given.
"""

ABLATIONS = """The product with one mechanism missing or different, asked the same questions. What a mechanism *earns*
is the difference, product − variant: above zero, it helps. *source*: it is one of the mechanisms of the paper that the
product follows, which stay whatever they earn here; *ours*: it was added to recall. Variants without a mechanism that
the product no longer has are the measurement for which it left. What is tuned on flatters the mechanisms that were
chosen on it: whether one earns there says that it is not idle, not how much it is worth.
"""

LATENCY = """*Floor*: the operation's own statements, sent bare to a twin of the memory; *ratio*: operation / floor, the
median of pairs. Everything is embedded beforehand. A size like `1000x100` is 1000 memories of 100 concepts.
"""

THROUGHPUT = """Agents that perceive, read the brief and close without a pause. *distinct*: each has a memory of its
own; *one*: all share one, whose writers follow one another.
"""

METHODS = """**One memory, read by all.** Each scenario, conversation or corpus is perceived once, by the product's own
path, into a memory of its own. All conditions read that memory; a checksum over every node, relationship and property
before the first and after the last shows that reading left no trace. Questions are asked when everything was said.

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
were ranked (recall@k), and whether all of it is (all@k). No model judges these. LoCoMo's global figures are over
categories 1 to 4; category 5 asks for what was not said, and is a group of its own.

**How sure.** Shares have Wilson's interval; means and paired differences that of the bootstrap over questions
({resamples} resamples, fixed seed). Comparisons are question by question: wins, losses, and the exact two-sided p of
the sign test, which is McNemar's where answers are right or wrong. Many comparisons are shown and none is corrected for
their number: some will look sure by chance.

**Ablations.** Variants that only recall differently read the product's memory; those that perceive differently have one
of their own, made of the same turns under the same name, so that ids, which decide between equals, are the same.

**Providers.** Embeddings by {embedders}; seeds {seeds}. With offline providers two runs give the same results, but for
their times.
"""

LIMITS = """- **Development data.** Weights of recall were chosen on the development files of LoCoMo and MuSiQue and on
  scenarios of the development seed. What is reported on these is no forecast for others; the scenarios of the final
  seed are for one last measurement.
- **The scenarios are ours**: their sentences come from templates, in English and Spanish, and whoever writes templates
  and the memory that answers them has one way of asking. How much that helps, the authored scenarios tell: they were
  written one by one, apart from both. Their figures are the better forecast.
- **Evidence is not an answer.** Recall says what a model could read, not what it would answer.
- **Times** are those of one machine and of its load: compare within one file only. Milliseconds of an answer do not
  include embedding the question."""


def head() -> str:
    """The beginning of the page."""
    return HEAD.format(confidence=100 * statistics.CONFIDENCE)


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
