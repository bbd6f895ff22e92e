"""Formulas: the book's colours. One name means one thing in every figure, in light and in dark.

Within a group (ranks, state, time) the colours keep a distance of at least 0.08 in OKLab from each other, under normal
vision and under simulated protanopia, deuteranopia and tritanopia, and a contrast of at least 3 to 1 with the page:
``tests/test_palette.py`` measures both. A colour never carries meaning alone: a letter or a label says it too.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import nonnegative_integer

LIGHT_PAGE = "#ffffff"
DARK_PAGE = "#14161a"


@dataclass(frozen=True)
class Colour:
    """A colour with its name, its group, its value on a light and on a dark page, and what it stands for."""

    name: str
    group: str
    light: str
    dark: str
    meaning: str

    @property
    def css(self) -> str:
        """The CSS value: the page's custom property or, where no page sets it (a notebook), the light colour."""
        return f"var(--{self.name}, {self.light})"


_TABLE = (
    Colour("rank-0", "rank", "#6b89f9", "#4f69d7", "rank 0, and 8, 16, …"),
    Colour("rank-1", "rank", "#852a0b", "#c3451a", "rank 1, and 9, 17, …"),
    Colour("rank-2", "rank", "#4b7f28", "#ace48c", "rank 2, and 10, 18, …"),
    Colour("rank-3", "rank", "#af3b85", "#fdbadf", "rank 3, and 11, 19, …"),
    Colour("rank-4", "rank", "#949a2b", "#9aa033", "rank 4, and 12, 20, …"),
    Colour("rank-5", "rank", "#5847b7", "#a39ef9", "rank 5, and 13, 21, …"),
    Colour("rank-6", "rank", "#c07b90", "#da93a8", "rank 6, and 14, 22, …"),
    Colour("rank-7", "rank", "#683964", "#a572a0", "rank 7, and 15, 23, …"),
    Colour("parameters", "state", "#4b4cba", "#5f64d5", "parameters"),
    Colour("gradients", "state", "#76363d", "#c33d53", "gradients"),
    Colour("optimizer", "state", "#b98917", "#d3a23b", "optimizer state"),
    Colour("activations", "state", "#4d9ebc", "#49cffc", "activations"),
    Colour("forward", "time", "#6497c7", "#8fc3f5", "forward pass"),
    Colour("backward", "time", "#1343a8", "#4a72c0", "backward pass (of the input, where it is split)"),
    Colour("weight-gradient", "time", "#b98a18", "#e7b551", "backward pass of the weights"),
    Colour("communication", "time", "#940500", "#c44132", "communication"),
    Colour("idle", "surface", "#8a8f98", "#7d838d", "idle"),
    Colour("ink", "surface", "#1d2026", "#e6e8eb", "text and outlines"),
    Colour("muted", "surface", "#5a616b", "#a4abb5", "secondary text and axes"),
    Colour("line", "surface", "#d3d7dc", "#3a3f47", "grid lines"),
    Colour("accent", "surface", "#1f5fbf", "#7fb0ff", "the one accent of the page"),
)

COLOURS = {colour.name: colour for colour in _TABLE}
RANKS = 8


def rank(number: int) -> str:
    """Return the colour's name of a rank, from 0; from rank 8 on the hues repeat, so a label has to tell them apart.

    >>> rank(3), rank(11)
    ('rank-3', 'rank-3')
    """
    return f"rank-{nonnegative_integer('number', number) % RANKS}"


def css_variables() -> str:
    """Return the style sheet that gives every colour its value in both palettes of the site; on paper all is light.

    >>> css_variables().splitlines()[1]
    '  --rank-0: #6b89f9;'
    """
    light = "\n".join(f"  --{colour.name}: {colour.light};" for colour in _TABLE)
    dark = "\n".join(f"  --{colour.name}: {colour.dark};" for colour in _TABLE)
    return f':root {{\n{light}\n}}\n@media screen {{\n[data-md-color-scheme="slate"] {{\n{dark}\n}}\n}}\n'
