"""Keys: who asks, which memories that key opens, and what it may do there.

`principal` has rights and the check of each use; `registry` makes, lists, revokes and recognises keys; `requests` notes
what a key must not do twice. A key is kept in the graph as a hash, bound to its memories by relationships: a deleted
memory takes its keys' access along, and one that is made again under the same name is not opened by them.
"""

from oroi_graph.interfaces.keys.principal import RIGHTS, Principal, Recogniser, Right, checked_rights
from oroi_graph.interfaces.keys.registry import Key, KeyRegistry, NewKey
from oroi_graph.interfaces.keys.requests import LASTING, Requests

__all__ = [
    "LASTING", "RIGHTS", "Key", "KeyRegistry", "NewKey", "Principal", "Recogniser", "Requests", "Right",
    "checked_rights",
]  # fmt: skip
