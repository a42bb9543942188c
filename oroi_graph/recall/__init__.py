"""From a question to a brief; reading changes nothing.

`pipeline` goes through the modules in this order: `decomposition` splits a text that asks two questions, `question`
parses each, `entity_linking` finds the cues, `graph_search` sends one wave of activation per cue and finds paths,
`evidence` decides which concepts are answers, `features` (with `time_match`) and `ranker` order the records,
`relevance` says how likely each helps, `selection` decides what enters, `brief` writes the text. Every number comes
from `Options.search`, `Options.ranking` and `Options.selection`.
"""

from oroi_graph.recall.brief import quote
from oroi_graph.recall.pipeline import Filters, Recall, RecallRequest, recall
from oroi_graph.recall.profile import Profile
from oroi_graph.recall.question import Question, read_question

__all__ = ["Filters", "Profile", "Question", "Recall", "RecallRequest", "quote", "read_question", "recall"]
