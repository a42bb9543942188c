"""How Spanish and Portuguese spell a stem and an ending together, so that the sound of the stem stays."""

from __future__ import annotations


def spanish(stem: str, ending: str, kind: str) -> str:
    """Before e: busqué, pagué, empecé; before o: cojo, sigo; between vowels: leyó, leído."""
    if kind == "ar" and ending[0] in "eé":
        for old, new in (("c", "qu"), ("g", "gu"), ("z", "c")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    if kind != "ar" and ending[0] == "o":
        if stem.endswith("gu"):
            return stem[:-1] + ending
        if stem.endswith("g"):
            return f"{stem[:-1]}j{ending}"
    if kind != "ar" and stem[-1] in "aeo":
        if ending[:2] in ("ió", "ie"):
            return f"{stem}y{ending[1:]}"
        if ending == "ido":
            return f"{stem}ído"
    return stem + ending


def portuguese(stem: str, ending: str, kind: str) -> str:
    """Before e: fiquei, paguei, comecei; before o: conheço, dirijo, sigo."""
    if kind == "ar" and ending[0] in "eé":
        for old, new in (("c", "qu"), ("g", "gu"), ("ç", "c")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    if kind != "ar" and ending[0] == "o":
        if stem.endswith("gu"):
            return stem[:-1] + ending
        for old, new in (("c", "ç"), ("g", "j")):
            if stem.endswith(old):
                return stem[:-1] + new + ending
    return stem + ending
