"""One question, answered in one transaction beside the working set of a memory.

`inquiry` reads and embeds the question. `gathering` finds its cues, the evidence around them and the candidate records;
`judging` orders these, says how likely each helps and what a later one replaces, and cuts what states something
replaced to what still holds (`still_so`); `answer` has what may enter chosen.
"""

from oroi_graph.recall.answering.answer import Answer, answer
from oroi_graph.recall.answering.gathering import Gathering
from oroi_graph.recall.answering.inquiry import EmbeddedQuestion, Inquiry, embed_question

__all__ = ["Answer", "EmbeddedQuestion", "Gathering", "Inquiry", "answer", "embed_question"]
