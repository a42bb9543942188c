"""The commands `oroi contract …`: the entries that several agents share, under a published contract.

`documents` and `authors` are about the contract itself, `writing`, `reading` and `proof` about entries; `group` lists
the commands, `shared` is what they share.
"""

from __future__ import annotations

from oroi_graph.cli.contract.group import contract

__all__ = ["contract"]
