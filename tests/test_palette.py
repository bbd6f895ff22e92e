"""The palette, measured: apart within a group for every kind of colour vision, and legible on its page.

Sources: the contrast ratio of WCAG 2.1; OKLab of Ottosson 2020; the matrices of Machado, Oliveira and Fernandes 2009
("A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6)) for severity 1.0, which act
on linear RGB.
"""

from __future__ import annotations

from itertools import combinations
from math import dist

import pytest

from snippets import palette
from snippets.palette import COLOURS, Colour

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

VISIONS: dict[str, Matrix] = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
TO_CONES: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_OKLAB: Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
PAGES = {"light": palette.LIGHT_PAGE, "dark": palette.DARK_PAGE}
GROUPS = ("rank", "state", "time")
READ_AS_TEXT = ("ink", "muted", "accent")


def _times(matrix: Matrix, vector: Triple) -> Triple:
    first, second, third = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third


def _linear(colour: str) -> Triple:
    """Return the linear RGB of ``#rrggbb``."""
    codes = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (code / 12.92 if code <= 0.04045 else ((code + 0.055) / 1.055) ** 2.4 for code in codes)
    return red, green, blue


def _oklab(colour: str, vision: str = "normal") -> Triple:
    red, green, blue = (min(max(part, 0.0), 1.0) for part in _times(VISIONS[vision], _linear(colour)))
    long, medium, short = (part ** (1 / 3) for part in _times(TO_CONES, (red, green, blue)))
    return _times(TO_OKLAB, (long, medium, short))


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _group(name: str) -> list[Colour]:
    return [colour for colour in COLOURS.values() if colour.group == name]


def test_the_yardsticks_measure_what_they_should() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)  # the lightest grey that passes AA
    assert _oklab("#ffffff") == pytest.approx((1, 0, 0), abs=1e-6)
    assert _oklab("#ff0000") == pytest.approx((0.62796, 0.22486, 0.12585), abs=1e-5)  # Ottosson's conversion
    for vision, matrix in VISIONS.items():
        assert [sum(row) for row in matrix] == pytest.approx([1, 1, 1], abs=2e-6), vision  # grey stays grey
    red, green = "#c00000", "#527400"  # told apart by normal vision, hardly by deuteranopes
    assert dist(_oklab(red, "deuteranopia"), _oklab(green, "deuteranopia")) < dist(_oklab(red), _oklab(green)) / 2


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("group", GROUPS)
def test_colours_of_a_group_stay_apart(group: str, vision: str, page: str) -> None:
    near = {}
    for one, other in combinations(_group(group), 2):
        distance = dist(_oklab(getattr(one, page), vision), _oklab(getattr(other, page), vision))
        if distance < 0.08:
            near[f"{one.name} and {other.name}"] = round(distance, 4)
    assert near == {}


@pytest.mark.parametrize("page", PAGES)
def test_colours_stand_out_from_the_page(page: str) -> None:
    drawn = [colour for name in GROUPS for colour in _group(name)]
    contrasts = {colour.name: _contrast(getattr(colour, page), PAGES[page]) for colour in [*drawn, COLOURS["idle"]]}
    assert {name: round(ratio, 2) for name, ratio in contrasts.items() if ratio < 3} == {}


@pytest.mark.parametrize("page", PAGES)
def test_text_is_legible(page: str) -> None:
    contrasts = {name: _contrast(getattr(COLOURS[name], page), PAGES[page]) for name in READ_AS_TEXT}
    assert {name: round(ratio, 2) for name, ratio in contrasts.items() if ratio < 4.5} == {}


def test_every_colour_belongs_to_a_group_that_is_measured_or_is_surface() -> None:
    assert {colour.group for colour in COLOURS.values()} == {*GROUPS, "surface"}
    assert [colour.name for colour in _group("rank")] == [f"rank-{number}" for number in range(palette.RANKS)]
    assert all(name == colour.name and colour.meaning for name, colour in COLOURS.items())


def test_ranks_repeat_and_negative_ones_are_refused() -> None:
    assert [palette.rank(number) for number in (0, 7, 8, 1023)] == ["rank-0", "rank-7", "rank-0", "rank-7"]
    with pytest.raises(ValueError, match=r"number must be an integer of at least 0, got -1"):
        palette.rank(-1)


def test_style_sheet_gives_every_colour_in_both_palettes() -> None:
    light, dark = palette.css_variables().split('[data-md-color-scheme="slate"]')
    assert len(light.splitlines()) == len(COLOURS) + 3  # a block's start and end, and the start of the next
    assert [line[:4] for line in dark.splitlines()[1:-2]] == ["  --"] * len(COLOURS)
    for colour in COLOURS.values():
        assert f"  --{colour.name}: {colour.light};" in light
        assert f"  --{colour.name}: {colour.dark};" in dark
        assert colour.css == f"var(--{colour.name}, {colour.light})"
