"""Recall@context (S11.2): whether a context says everything a probe requires and nothing that it forbids.

Alternatives are matched case-insensitively on word boundaries: "can" is not in "Canada".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Alternatives = Sequence[str]


def says(context: str, alternatives: Alternatives) -> bool:
    """Whether one of the alternatives stands in the context as whole words."""
    return any(re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", context, re.IGNORECASE) for phrase in alternatives)


def correct(context: str, required: Sequence[Alternatives], forbidden: Sequence[Alternatives] = ()) -> bool:
    """Whether the context meets every requirement and contains nothing forbidden."""
    return all(says(context, some) for some in required) and not any(says(context, some) for some in forbidden)
