"""Pictures are real files: decoded, parsed and looked at pixel by pixel."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

import matplotlib.image
import networkx as nx
import numpy as np
import pytest
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.visualization.draw import draw
from oroi_graph.visualization.graphml import write_graphml
from oroi_graph.visualization.layout import place

SVG = "{http://www.w3.org/2000/svg}"


def graph(
    concepts: Iterable[tuple[str, float, float]], associations: Iterable[tuple[str, str, str]] = ()
) -> nx.MultiDiGraph:
    """Concepts as (label, activation, strength), associations as (source, relation, target)."""
    made = nx.MultiDiGraph()
    for label, activation, strength in concepts:
        made.add_node(f"id-{label}", label=label, kind="concept", activation=activation, strength=strength)
    for source, relation, target in associations:
        made.add_edge(f"id-{source}", f"id-{target}", relation=relation, weight=1.0, current=True, negated=False)
    return made


def office(activation: float = 2.0) -> nx.MultiDiGraph:
    return graph(
        [("Ana", activation, 0.9), ("office", activation / 2, 0.1), ("Madrid", 0, 0)],
        [("Ana", "works at", "office"), ("office", "is in", "Madrid")],
    )


def pixels(path: Path) -> np.ndarray:
    """(height, width, 3) float, 0..1, without the legend, which is always coloured."""
    image = matplotlib.image.imread(path)[:, :, :3]
    return image[: -int(40 / 72 * 160) - 40]


def red(path: Path) -> int:
    r, g, b = np.moveaxis(pixels(path), 2, 0)
    return int(np.count_nonzero((r > 0.6) & (g < 0.35) & (b < 0.35)))


def reddish(path: Path) -> int:
    r, g, b = np.moveaxis(pixels(path), 2, 0)
    return int(np.count_nonzero(r > np.maximum(g, b) + 0.06))


def texts(path: Path) -> list[str]:
    return ["".join(element.itertext()) for element in ET.parse(path).iter(f"{SVG}text")]


def test_an_active_concept_is_red_and_a_sleeping_memory_has_no_red_at_all(tmp_path: Path) -> None:
    awake = draw(office(), tmp_path / "awake.png")
    asleep = draw(office(activation=0), tmp_path / "asleep.png")
    assert red(awake) > 2000
    assert red(asleep) == reddish(asleep) == 0
    assert np.count_nonzero(pixels(asleep).min(axis=2) < 0.95) > 2000  # it is drawn, in grey


def test_what_received_little_is_faintly_red(tmp_path: Path) -> None:
    faint = draw(graph([("Ana", 3, 0), ("Madrid", 0.06, 0)]), tmp_path / "faint.png")
    alone = draw(graph([("Ana", 3, 0), ("Madrid", 0, 0)]), tmp_path / "alone.png")
    assert reddish(faint) > reddish(alone) + 1000


def test_weight_is_width_and_strength_a_second_border(tmp_path: Path) -> None:
    def ink(weight: float, strength: float) -> int:
        one = office(activation=0)
        for _, _, data in one.edges(data=True):
            data["weight"] = weight
        one.nodes["id-Madrid"]["strength"] = strength
        one.nodes["id-Ana"]["strength"] = 0
        image = pixels(draw(one, tmp_path / "ink.png", labels=False))
        return int(np.count_nonzero(image.max(axis=2) < 0.8))

    assert ink(3.0, 0.0) > ink(0.5, 0.0) * 1.2
    assert ink(0.5, 0.9) > ink(0.5, 0.0)


def test_superseded_and_negated_associations_look_different(tmp_path: Path) -> None:
    plain, gone, negated = office(), office(), office()
    gone.edges["id-office", "id-Madrid", 0]["current"] = False
    negated.edges["id-office", "id-Madrid", 0]["negated"] = True
    drawn = [draw(one, tmp_path / f"{k}.svg") for k, one in enumerate((plain, gone, negated))]
    dashes = [path.read_text(encoding="utf-8").count("stroke-dasharray") for path in drawn]
    assert dashes[1] == dashes[0] + 1
    assert "is in" in texts(drawn[0])
    assert "not is in" in texts(drawn[2])
    bars = [path.read_text(encoding="utf-8").count("stroke: #1f2933") for path in drawn]
    assert bars[2] == bars[0] + 2


def test_svg_text_is_text(tmp_path: Path) -> None:
    path = draw(office(), tmp_path / "memory.SVG", title="Ana’s memory")
    assert {"Ana", "office", "Madrid", "works at", "is in", "Ana’s memory"} <= set(texts(path))
    assert "works at" not in texts(draw(office(), tmp_path / "bare.svg", labels=False))


@pytest.mark.parametrize(
    "label",
    [
        "price $5 and $10",
        "$x_1^{",
        "a_b\\frac",
        "東京タワー",
        "مدريد",
        "שלום",
        "हिन्दी",
        "Ελλάδα",
        "😀🧠",
        "<b>&amp;",
        "𝔐",
    ],
)
def test_any_script_and_any_sign_is_drawn_as_it_is(tmp_path: Path, label: str) -> None:
    odd = graph([(label, 1, 1), ("Ana", 0, 0)], [("Ana", label, label)])
    written = " ".join(texts(draw(odd, tmp_path / "odd.svg", title=label)))
    assert written.count(label) >= 3 or "".join(written.split()).count("".join(label.split())) >= 3
    assert red(draw(odd, tmp_path / "odd.png", title=label)) > 0


def test_control_characters_and_endless_labels_are_tamed(tmp_path: Path) -> None:
    odd = graph([("a\x00b\ud800\u202e\nc\ufffe", 0, 0), ("word " * 100, 0, 0), ("", 0, 0)])
    written = texts(draw(odd, tmp_path / "odd.svg"))
    assert "a b c" in written
    assert "?" in written
    assert max(len(text) for text in written) < 40
    assert any(text.endswith("…") for text in written)


def test_an_empty_memory_says_so(tmp_path: Path) -> None:
    assert "This memory is empty." in texts(draw(nx.MultiDiGraph(), tmp_path / "empty.svg", title="ana"))
    assert "ana" in texts(tmp_path / "empty.svg")
    assert red(draw(nx.MultiDiGraph(), tmp_path / "empty.png")) == 0


def test_a_large_memory_shows_its_strongest_and_says_so(tmp_path: Path) -> None:
    crowd = [(f"c{k:03}", 0.0, 0.0) for k in range(150)]
    many = graph(
        [*crowd, ("lit", 2, 0), ("fixed", 0, 1), ("hub", 0, 0)],
        [("hub", "knows", f"c{k:03}") for k in range(100)],
    )
    written = texts(draw(many, tmp_path / "many.svg", title="all", limit=10))
    assert "all · the 10 most present of 153 concepts, 7 of 100 associations" in written
    assert {"lit", "fixed", "hub"} <= set(written)
    assert sum(text.startswith("c0") for text in written) == 7
    many.graph |= {"concepts": 5000, "associations": 90_000}  # of which what is given was chosen
    heading = "the 60 most present of 5000 concepts, 57 of 90000 associations"
    assert heading in texts(draw(many, tmp_path / "many.svg"))


def test_many_relations_are_numbered_and_listed(tmp_path: Path) -> None:
    crowd = [(f"c{k:03}", 0.0, 0.0) for k in range(40)]
    joined = [(f"c{k % 40:03}", "knows" if k % 3 else f"relation {k}", f"c{(k * 7 + 1) % 40:03}") for k in range(75)]
    written = texts(draw(graph(crowd, joined), tmp_path / "many.svg", limit=40))
    legend = dict(text.split("  ", 1) for text in written if "  " in text)
    assert legend["1"] == "knows", "the most frequent first"
    assert set(legend.values()) == {relation for _, relation, _ in joined}
    assert written.count("1") == 50
    assert all(written.count(number) == 1 for number in legend if number != "1")
    few = texts(draw(graph(crowd, joined[:20]), tmp_path / "few.svg", limit=40))
    assert "knows" in few
    assert not any(text.startswith("1  ") for text in few)


def test_the_same_memory_is_the_same_picture_in_whatever_order_it_was_fetched(tmp_path: Path) -> None:
    one = office()
    other = nx.MultiDiGraph()
    other.add_nodes_from(reversed(list(one.nodes(data=True))))
    other.add_edges_from(reversed(list(one.edges(data=True))))
    files = [draw(memory, tmp_path / f"{k}.svg").read_bytes() for k, memory in enumerate((one, one, other))]
    assert files[0] == files[1] == files[2]


@table("shape", ["star", "chain", "dense", "scattered"])
def test_boxes_never_overlap(shape: str) -> None:
    n = 60
    random = np.random.default_rng(1)
    pairs = {
        "star": [(0, k) for k in range(1, n)],
        "chain": [(k, k + 1) for k in range(n - 1)],
        "dense": [(int(a), int(b)) for a, b in random.integers(0, n, (180, 2))],
        "scattered": [(0, 1), (2, 2)],
    }[shape]
    sizes = np.column_stack([random.uniform(34, 140, n), random.uniform(24, 44, n)])
    at = place(sizes, pairs, np.full((len(pairs), 2), 30.0))
    for i, j in itertools.combinations(range(n), 2):
        assert (np.abs(at[i] - at[j]) >= (sizes[i] + sizes[j]) / 2).any(), (i, j)


def test_loops_and_many_relations_between_two_are_all_drawn(tmp_path: Path) -> None:
    relations = ["loves", "married", "calls", "visits"]
    pair = graph([("Ana", 1, 0), ("Elena", 1, 0)], [("Ana", relation, "Elena") for relation in relations])
    pair.add_edge("id-Elena", "id-Ana", relation="answers", weight=2.0, current=True, negated=False)
    pair.add_edge("id-Ana", "id-Ana", relation="knows", weight=1.0, current=True, negated=False)
    assert {*relations, "answers", "knows"} <= set(texts(draw(pair, tmp_path / "pair.svg")))


@pytest.mark.parametrize("name", ["memory.jpg", "memory", "memory.png.txt"])
def test_another_suffix_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"ends in \.png or \.svg"):
        draw(office(), tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    for write in (draw, write_graphml):
        with pytest.raises(InputError, match="cannot write") as caught:
            write(office(), tmp_path / "nowhere" / "memory.png")
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="limit must be 1 or more"):
        draw(office(), tmp_path / "memory.png", limit=0)


def test_graphml_carries_everything_and_reads_back(tmp_path: Path) -> None:
    memory = office()
    memory.nodes["id-Ana"]["aliases"] = ["I", "me"]
    memory.nodes["id-Ana"]["note"] = None
    memory.nodes["id-Ana"]["label"] = "Ana\x00 & Co"
    memory.nodes["id-Ana"]["activation"] = np.float64(2.0)
    read = nx.read_graphml(write_graphml(memory, tmp_path / "memory.graphml"), force_multigraph=True)
    assert read.nodes["id-Ana"] == {
        "label": "Ana & Co",
        "kind": "concept",
        "activation": 2.0,
        "strength": 0.9,
        "aliases": '["I", "me"]',
    }
    (edge,) = (data for a, b, data in read.edges(data=True) if a == "id-Ana")
    assert {**edge, "id": None} == {
        "relation": "works at",
        "weight": 1.0,
        "current": True,
        "negated": False,
        "id": None,
    }
