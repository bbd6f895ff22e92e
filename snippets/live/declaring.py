"""Drawings: what a live figure is: a function from settings to a picture, with its knobs, caption and alt text.

The declaration stands beside the function and is the only place that knows it: the build, the page, notebooks and
tests all read it from there. The same file runs in CPython and in the reader's browser, so it needs the standard
library alone.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

from snippets.domain import text
from snippets.drawing import Panel
from snippets.live.knobs import Choice, Knob, Number

NARROW_PX = 350.0  # what a phone shows without shrinking it


@dataclass(frozen=True)
class Picture:
    """What a figure's function returns.

    Attributes:
        panels: pictures that stand side by side where there is room. At most 340 pixels wide, a panel is readable on a
            phone; a wider one scrolls there.
        numbers: one or two sentences with the numbers that the picture shows, computed; read out when they change.
        alt: what a reader who cannot see the picture is told; follows the settings.
        limits: for a number's name, the largest value that it can have under the other settings, where they limit it.
        idle: names of the knobs that change nothing under the other settings; the page does not show them.
    """

    panels: Sequence[Panel]
    numbers: str
    alt: str
    limits: Mapping[str, float] = field(default_factory=dict)
    idle: Collection[str] = ()


@dataclass(frozen=True)
class Drawn:
    """A picture as the page takes it: everything is text.

    Attributes:
        svgs: one SVG element a panel, in the form in which it stands in a page.
        numbers: see ``Picture``.
        alt: see ``Picture``.
        shown: for each knob, its value as the page writes it.
        places: for each slider, the number of its stop.
        most: for each slider, the number of the last stop that the other settings allow.
        idle: the knobs that the page does not show.
        changed: for each knob that does not stand at its default, its value as a link holds it.
    """

    svgs: list[str]
    numbers: str
    alt: str
    shown: dict[str, str]
    places: dict[str, int]
    most: dict[str, int]
    idle: list[str]
    changed: dict[str, str]


@dataclass(frozen=True)
class LiveFigure:
    """A live figure. Call it with settings to get its picture; knobs that are not named stand at their defaults."""

    function: Callable[..., Picture]
    title: str
    caption: str
    knobs: tuple[Knob, ...]

    @property
    def name(self) -> str:
        """The function's name, by which the page and its links call the figure."""
        return self.function.__name__

    @property
    def module(self) -> str:
        """The module in which it stands."""
        return self.function.__module__

    def __call__(self, **settings: Any) -> Picture:
        """Return the picture of these settings.

        Raises:
            ValueError: a setting is not allowed, or the settings together have no picture; the message says why.
        """
        known = {knob.name: knob for knob in self.knobs}
        for name in settings:
            if name not in known:
                raise ValueError(f"{name} is no knob of {self.name}: it has {', '.join(known)}")
        values = {name: knob.check(settings.get(name, knob.default)) for name, knob in known.items()}
        return self.function(**values)

    def drawn(self, raw: Mapping[str, str]) -> Drawn:
        """Return the picture of settings that come from a page or a link, as text."""
        known = {knob.name: knob for knob in self.knobs}
        values: dict[str, Any] = {
            name: knob.read(raw[name]) if name in raw else knob.default for name, knob in known.items()
        }
        picture = self(**values)
        sliders = [knob for knob in self.knobs if isinstance(knob, Number)]
        for knob in sliders:
            values[knob.name] = min(values[knob.name], picture.limits.get(knob.name, knob.high))
        return Drawn(
            svgs=[in_page(panel) for panel in picture.panels],
            numbers=picture.numbers,
            alt=picture.alt,
            shown={name: knob.write(values[name]) for name, knob in known.items()},
            places={knob.name: knob.place(values[knob.name]) for knob in sliders},
            most={knob.name: knob.place(picture.limits.get(knob.name, knob.high)) for knob in sliders},
            idle=[name for name in known if name in picture.idle],
            changed={name: knob.plain(values[name]) for name, knob in known.items() if values[name] != knob.default},
        )

    def described(self) -> dict[str, Any]:
        """Return what a page has to know of the figure, as JSON can hold it: knobs, texts, first picture, code."""
        return {
            "module": self.module,
            "name": self.name,
            "title": self.title,
            "knobs": [_described(knob) for knob in self.knobs],
            "drawn": asdict(self.drawn({})),
            "code": inspect.getsource(self.function),
        }


def _described(knob: Knob) -> dict[str, Any]:
    own: dict[str, Any] = {"kind": type(knob).__name__.lower(), "name": knob.name, "label": knob.label}
    if isinstance(knob, Number):
        return {**own, "play": knob.play}
    return {**own, "default": knob.default, **({"options": dict(knob.options)} if isinstance(knob, Choice) else {})}


def live_figure(*, title: str, caption: str, knobs: Sequence[Knob]) -> Callable[[Callable[..., Picture]], LiveFigure]:
    """Make a function from settings to a ``Picture`` a live figure.

    Args:
        title: what the figure lets the reader do, a few words.
        caption: what to try and to look for; Markdown, with TeX between dollar signs.
        knobs: in the order in which the page shows them, one for each argument of the function.
    """
    for name, sentence in (("title", title), ("caption", caption)):
        if not text(name, sentence).strip():
            raise ValueError(f"{name} must be a text that says what the figure does, got {sentence!r}")

    def declare(function: Callable[..., Picture]) -> LiveFigure:
        return LiveFigure(function, title, caption, tuple(knobs))

    return declare


def in_page(panel: Panel) -> str:
    """Return a panel's SVG as it stands in a page, whose parser and style sheet say the rest.

    >>> in_page(Panel(9, 9))
    '<svg aria-hidden="true" viewBox="0 0 9 9" width="9" height="9" class="panel" font-size="13"></svg>'
    """
    bare = re.sub(r' xmlns(?::xlink)?="[^"]*"| font-family="system-ui, sans-serif"', "", panel.svg())
    bare = re.sub(r"<style>.*?</style>", "", bare, count=1)
    bare = re.sub(r"<g ?/>", "", bare)
    if panel.width > NARROW_PX:  # on a phone it scrolls instead of shrinking
        bare = bare.replace('class="panel"', 'class="panel wide"', 1)
    return bare.replace("<svg ", '<svg aria-hidden="true" ', 1)


def draw(module: str, name: str, raw: str) -> str:
    """Draw a figure for a page: what its worker calls.

    Args:
        module: where the figure stands, such as ``snippets.live.message_time``.
        name: its name there.
        raw: the settings as JSON, each as the page sends it.

    Returns:
        As JSON ``{"drawn": …}`` (see ``Drawn``), or ``{"problem": …}`` with the reason why there is no picture.
    """
    figure = find(module, name)
    try:
        return json.dumps({"drawn": asdict(figure.drawn(json.loads(text("raw", raw))))})
    except ValueError as error:
        said = str(error)
        for knob in figure.knobs:  # the page calls a knob by its label
            said = re.sub(rf"^{knob.name}\b", knob.label, said)
        return json.dumps({"problem": said})


def find(module: str, name: str) -> LiveFigure:
    """Return the live figure of a name in a module of this package.

    Raises:
        ValueError: there is none.
    """
    if not re.fullmatch(r"snippets\.live\.\w+", text("module", module)):
        raise ValueError(f"module must be one of snippets.live, got {module!r}")
    figure = getattr(import_module(module), text("name", name), None)
    if not isinstance(figure, LiveFigure):
        raise ValueError(f"name must be a live figure of {module}, got {name!r}")
    return figure
