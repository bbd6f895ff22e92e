"""The drawing of an attempt shows what its messages leave, right or wrong."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.collectives.ring_and_tree.term_panels import term_panels
from snippets.drawing import Panel

SVG = "{http://www.w3.org/2000/svg}"


def cells(panel: Panel) -> list[str]:
    texts = (element.text or "" for element in ElementTree.fromstring(panel.svg()).iter(SVG + "text"))
    return [text for text in texts if text and set(text) <= set("ABCDEFGH…")]


def frames(panel: Panel) -> int:
    """Count the framed cells; a frame is one path with two outlines."""
    drawn = panel.svg()
    return sum(element.get("class") == "b-ink" for element in ElementTree.fromstring(drawn).iter(SVG + "path"))


@given(st.data(), st.integers(2, 5), st.integers(1, 4))
def test_the_letters_are_the_terms_of_sums(data: st.DataObject, ranks: int, length: int) -> None:
    """Against numbers: rank r's entries are 10^r, so that a digit counts a rank's terms."""
    ends = st.integers(0, length)
    message = st.builds(
        lambda source, to, one, other, adds: (source, to, min(one, other), max(one, other), adds),
        st.integers(0, ranks - 1),
        st.integers(0, ranks - 1),
        ends,
        ends,
        st.booleans(),
    )
    rounds = data.draw(st.lists(st.lists(message, max_size=2), max_size=3))
    held = [[10**rank] * length for rank in range(ranks)]
    for messages in rounds:
        before = [list(row) for row in held]
        for source, to, start, stop, adds in messages:
            for place in range(start, stop):
                held[to][place] = (held[to][place] if adds else 0) + before[source][place]
    panels = term_panels(rounds, ranks=ranks, length=length)
    assert len(panels) == len(rounds) + 1
    right = int("1" * ranks)
    assert frames(panels[-1]) == sum(number != right for row in held for number in row)
    for shown, number in zip(cells(panels[-1]), (number for row in held for number in row), strict=True):
        if "…" not in shown:
            assert Counter(shown) == {"ABCDE"[i]: int(d) for i, d in enumerate(reversed(str(number))) if d != "0"}


def test_only_the_last_picture_has_frames_and_says_what_they_mean() -> None:
    start, end = term_panels([[(0, 1, 0, 2, True)]], ranks=2, length=2)
    assert (frames(start), frames(end)) == (0, 2)
    assert "framed: not AB once each" in end.svg()
    (alone,) = term_panels([], ranks=1, length=1)
    assert "every cell is right" in alone.svg()


@pytest.mark.parametrize(
    ("rounds", "sizes", "problem"),
    [
        ([], {"ranks": 9, "length": 1}, "ranks must be at most 8, got 9"),
        ([], {"ranks": 2, "length": 9}, "length must be at most 8, got 9"),
        ([], {"ranks": 2, "length": 0}, "length must be"),
        ([[]] * 15, {"ranks": 2, "length": 1}, "rounds must be at most 14, got 15"),
        (
            [[(0, 2, 0, 1, True)]],
            {"ranks": 2, "length": 1},
            r"rounds must name ranks and entries .* got \(0, 2, 0, 1\)",
        ),
        ([[(0, 1, 1, 0, True)]], {"ranks": 2, "length": 1}, "rounds must name"),
    ],
)
def test_what_does_not_fit_is_refused(
    rounds: list[list[tuple[int, int, int, int, bool]]], sizes: dict[str, int], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        term_panels(rounds, **sizes)
