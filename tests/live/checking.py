"""What every live figure has to hold at the extremes of its knobs: it draws or says why not, and its texts fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

from sampling import ALL, ROOT

from press.making.live import live_modules
from snippets.drawing import FONT_PX, Panel
from snippets.live.declaring import NARROW_PX, LiveFigure, Named, Picture
from snippets.live.knobs import Choice, Knob, Number, Switch

MOST_CHARACTERS = 40_000  # of one panel
MOST_WIDE_PX = 720  # of one panel: what the column of a wide screen holds
SMALLEST_PX = 12  # of a text
_SLACK_PX = 1.0
_NARROW, _WIDE = frozenset(" .,:;'|!()[]ijlIrtf·₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹"), frozenset("mwMW—…")
Box = tuple[float, float, float, float]


def live_figures() -> dict[str, LiveFigure]:
    """Return every live figure of the book by its name: modules are found as the press finds them."""
    modules = [import_module(name) for name in live_modules(ROOT)]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, LiveFigure)]
    return {figure.name: figure for figure in found}


def ends(knob: Knob) -> list[Any]:
    """Return the values at which a knob can go no further: the ends of a number, each option, on and off."""
    if isinstance(knob, Number):
        return [knob.check(knob.low), knob.check(knob.high)]
    return [True, False] if isinstance(knob, Switch) else list(knob.options)


def extremes(figure: LiveFigure) -> Iterator[dict[str, Any]]:
    """Yield the defaults, every knob at each of its ends and, at night, every two knobs at each pair of ends."""
    yield {}
    for knob in figure.knobs:
        for end in ends(knob):
            yield {knob.name: end}
    if not ALL:
        return
    for first, second in combinations(figure.knobs, 2):
        for one in ends(first):
            for other in ends(second):
                yield {first.name: one, second.name: other}


def can_be_turned(figure: LiveFigure, setting: Mapping[str, str], name: str) -> bool:
    """Whether a page shows a knob at a setting, and lets it move."""
    try:
        drawn = figure.drawn(setting)
    except ValueError:
        return False
    return name not in drawn.idle and drawn.most.get(name, 1) > 0


def waking(figure: LiveFigure, name: str) -> Iterator[tuple[Knob | Named | None, dict[str, str]]]:
    """Yield settings at which a knob can be turned, each with the choice or the button that leads there, if any."""
    opening, knobs = figure.opens_at(), {knob.name: knob for knob in figure.knobs}
    choices = [(knob, option) for knob in figure.knobs if isinstance(knob, Choice) for option in knob.options]
    buttons = [(one, {key: knobs[key].plain(value) for key, value in one.values.items()}) for one in figure.named]
    for way, setting in [(None, opening), *((knob, {**opening, knob.name: each}) for knob, each in choices), *buttons]:
        if can_be_turned(figure, setting, name):
            yield way, setting


def does_something(figure: LiveFigure, knob: Knob, setting: Mapping[str, str]) -> bool:
    """Whether a knob changes picture or numbers one stop further or at one of its ends, or is refused there."""
    before = figure.drawn(setting)
    values = [knob.plain(end) for end in ends(knob)]
    if knob.name in before.places:
        place = before.places[knob.name]
        values.append(f"@{place + 1 if place < before.most[knob.name] else place - 1}")
    for value in values:
        try:
            after = figure.drawn({**setting, knob.name: value})
        except ValueError:
            return True
        if (after.svgs, after.numbers) != (before.svgs, before.numbers):
            return True
    return False


def drawn_or_refused(figure: LiveFigure, settings: Mapping[str, Any]) -> Picture | None:
    """Return the picture of settings, ``None`` where the figure refuses them with a sentence; fail otherwise."""
    try:
        return figure(**settings)
    except ValueError as refusal:
        sentence = str(refusal)
        assert len(sentence.split()) >= 4, f"{settings} must be refused with a sentence, got {sentence!r}"
        assert "Traceback" not in sentence
        return None


def _all_panels(picture: Picture) -> list[Panel]:
    return [*picture.panels, *picture.narrow]


def assert_draws(figure: LiveFigure, settings: Mapping[str, Any]) -> None:
    """Assert that a figure draws settings or says why not: whole, lean, readable, twice the same."""
    picture = drawn_or_refused(figure, settings)
    if picture is None:
        return
    assert picture.panels, f"{settings} has no panel"
    panels = [*picture.panels, *picture.narrow]
    svgs, again = ([panel.svg() for panel in drawn] for drawn in (panels, _all_panels(figure(**settings))))
    assert svgs == again, f"{settings} is drawn in two ways"
    for panel, svg in zip(panels, svgs, strict=True):
        most = NARROW_PX if panel in picture.narrow else MOST_WIDE_PX
        assert panel.width <= most, f"{settings}: {panel.width} px wide"
        assert len(svg) <= MOST_CHARACTERS, f"{settings}: {len(svg)} characters"
        assert "nan" not in svg
        assert "inf" not in svg.replace("infi", "")
        try:
            assert_texts_fit(svg)
        except AssertionError as misfit:
            raise AssertionError(f"{settings}: {misfit}") from misfit
    for sentence in (picture.numbers, picture.alt):
        assert len(sentence.split()) >= 4, f"{settings}: {sentence!r} is no sentence"
        assert "nan" not in sentence.split()
        assert "inf" not in sentence.split()
    numbers = {knob.name: knob for knob in figure.knobs if isinstance(knob, Number)}
    for name, most in picture.limits.items():
        assert numbers[name].low <= most <= numbers[name].high, f"{settings}: {name} is limited to {most}"


def assert_extremes_draw(figure: LiveFigure) -> None:
    """Assert it of the defaults, of every knob's ends and of all pairs; the defaults are never refused."""
    assert figure().panels
    for settings in extremes(figure):
        assert_draws(figure, settings)


def assert_texts_fit(panel_svg: Panel | str) -> None:
    """Assert that the texts of a panel are large enough, lie inside it and do not lie on each other.

    Widths are estimated: 0.6 em a character, less for narrow ones, more for wide ones.
    """
    root = ElementTree.fromstring(panel_svg.svg() if isinstance(panel_svg, Panel) else panel_svg)
    texts = list(_texts(root))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for content, size, (left, top, right, bottom) in texts:
        assert size >= SMALLEST_PX, f"{content!r} is written at {size:g} px"
        inside = left >= -_SLACK_PX and right <= width + _SLACK_PX
        inside = inside and top >= -_SLACK_PX and bottom <= height + _SLACK_PX
        assert inside, f"{content!r} at {left:.0f}, {top:.0f} to {right:.0f}, {bottom:.0f} leaves {width}×{height}"
    for (one, _, box), (other, _, other_box) in combinations(texts, 2):
        assert not _overlap(box, other_box), f"{one!r} and {other!r} overlap at {box[0]:.0f}, {box[1]:.0f}"


def text_width_px(content: str, size: float = FONT_PX) -> float:
    """Return about how wide a text is."""
    return size * sum(0.38 if sign in _NARROW else 0.9 if sign in _WIDE else 0.6 for sign in content)


def _texts(root: ElementTree.Element) -> Iterator[tuple[str, float, Box]]:
    """Yield each text of a picture with its size and its box; a text with many places is many texts."""
    for element in root.iter():
        if element.tag.rpartition("}")[2] != "text" or not (element.text or "").strip():
            continue
        content, size = str(element.text), float(element.get("font-size", FONT_PX))
        classes, baseline = element.get("class", "").split(), float(element.get("y", 0))
        places = [float(place) for place in element.get("x", "0").split()]
        pieces = list(content) if len(places) > 1 else [content]
        for place, piece in zip(places, pieces, strict=True):
            width = text_width_px(piece, size)
            left = place - (0 if "start" in classes else width if "end" in classes else width / 2)
            yield piece, size, (left, baseline - 0.75 * size, left + width, baseline + 0.2 * size)


def _overlap(one: Box, other: Box) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > _SLACK_PX and down > _SLACK_PX
