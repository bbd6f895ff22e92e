"""The checks of live figures refuse what they are there to refuse."""

from __future__ import annotations

from collections.abc import Callable

import checking
import pytest
from checking import assert_draws, assert_texts_fit, extremes

from snippets.drawing import Panel
from snippets.live.declaring import LiveFigure, Picture, live_figure
from snippets.live.knobs import Choice, Knob, Number, Switch


def figure(draw: Callable[[float], Picture]) -> LiveFigure:
    def drawn(stages: int, way: str, shown: bool) -> Picture:
        return draw(stages)

    knobs: list[Knob] = [
        Number("stages", "Stages p", 4, 1, 16),
        Choice("way", "Way", {"a": "first", "b": "second", "c": "third"}, "a"),
        Switch("shown", "Shown", True),
    ]
    return live_figure(title="Try it", caption="Look.", knobs=knobs)(drawn)


def picture(*texts: tuple[float, float, str], size: float = 13) -> Picture:
    panel = Panel(200, 60)
    for x, y, content in texts:
        panel.text(x, y, content, size=size)
    return Picture([panel], "Four numbers stand here.", "A panel with its texts.")


def test_extremes_are_the_defaults_all_ends_and_at_night_all_pairs_of_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "ALL", False)
    assert len(list(extremes(figure(lambda _: picture())))) == 1 + (2 + 3 + 2)
    monkeypatch.setattr(checking, "ALL", True)
    settings = list(extremes(figure(lambda _: picture())))
    assert settings[0] == {}
    assert len(settings) == 1 + (2 + 3 + 2) + (2 * 3 + 2 * 2 + 3 * 2)
    assert {"stages": 16, "way": "c"} in settings
    assert {"way": "b", "shown": False} in settings


def test_a_sound_picture_passes_and_so_does_a_refusal_that_is_a_sentence() -> None:
    assert_draws(figure(lambda _: picture((10, 20, "one"), (10, 45, "two"))), {})

    def refuse(stages: float) -> Picture:
        raise ValueError(f"stages must divide the layers, 32, got {stages}")

    assert_draws(figure(refuse), {"stages": 3})


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (picture((180, 20, "too far right")), "leaves"),
        (picture((10, 4, "too high")), "leaves"),
        (picture((10, 20, "one"), (20, 22, "on it")), "overlap"),
        (picture((10, 20, "tiny"), size=9), "9 px"),
        (Picture([], "Four numbers stand here.", "A panel with its texts."), "no panel"),
        (Picture([Panel(900, 60)], "Four numbers stand here.", "A panel with its texts."), "px wide"),
        (Picture([Panel(90, 60)], "4", "A panel with its texts."), "no sentence"),
        (Picture([Panel(90, 60)], "Four numbers stand here.", "A panel with its texts.", {"stages": 40}), "limited"),
    ],
)
def test_what_is_unsound_is_refused(bad: Picture, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        assert_draws(figure(lambda _: bad), {})


def test_a_refusal_without_a_sentence_and_a_changing_picture_are_refused() -> None:
    def refuse(stages: float) -> Picture:
        raise ValueError("stages")

    with pytest.raises(AssertionError, match="sentence"):
        assert_draws(figure(refuse), {})
    calls = iter("abcdef")
    with pytest.raises(AssertionError, match="two ways"):
        assert_draws(figure(lambda _: picture((10, 20, next(calls)))), {})


def test_signs_written_as_one_element_are_many_texts() -> None:
    panel = Panel(100, 30)
    panel.signs([10, 14], 15, ["4", "2"])
    with pytest.raises(AssertionError, match="overlap"):
        assert_texts_fit(panel)
