"""From a question to a brief; reading changes nothing.

`pipeline` has `decomposition` split a text that asks two questions, has each answered by `answering`, and merges the
answers. That goes through the modules in this order: `question` parses it, `entity_linking` finds the cues, `graph`
sends waves, finds paths and decides which concepts are answers, `ranking` orders the records and says how likely each
helps, `selection` decides what enters; at last `brief` writes the text.
`profile` answers questions for all that is known of something, `reminders` those for what was to be remembered.
`joint` makes one answer of those of several memories. `time_windows` has what a question adds that speaks of time;
`request` has the values that go in and out. `reranking` lets a model choose, if one is set.
Numbers that were fitted or chosen by measurement come from `Options.search`, `Options.ranking` and `Options.selection`;
bounds stand in their modules.
"""

from oroi_graph.recall.brief import quote
from oroi_graph.recall.joint import JointItem, JointRecall, join
from oroi_graph.recall.pipeline import recall
from oroi_graph.recall.profile import Profile
from oroi_graph.recall.question import Question, read_question
from oroi_graph.recall.request import Filters, Readers, Recall, RecallRequest, WindowContents

__all__ = [
    "Filters",
    "JointItem",
    "JointRecall",
    "Profile",
    "Question",
    "Readers",
    "Recall",
    "RecallRequest",
    "WindowContents",
    "join",
    "quote",
    "read_question",
    "recall",
]  # fmt: skip
