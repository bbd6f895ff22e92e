"""Drawings: what a live figure is: a function from settings to a picture, with its knobs, caption and alt text.

The declaration stands beside the function and is the only place that knows it: the build, the page, notebooks and
tests all read it from there. The same file runs in CPython and in the reader's browser, so it needs the standard
library alone.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from snippets.domain import each, flag, text
from snippets.drawing import Panel
from snippets.live.knobs import Choice, Knob, Number, Switch

NARROW_PX = 350.0  # what a phone shows without shrinking it
NEAR = 2  # how many stops on either side of a knob's default are drawn before Python runs
PLAYED = 10  # at most so many stops of a knob that can be played are all drawn


@dataclass(frozen=True)
class Named:
    """A setting with a name, which the page offers as a button.

    Attributes:
        name: what stands on the button.
        notice: one sentence on what to notice there.
        values: by knobs' names, the values of those that do not stand at their defaults.
    """

    name: str
    notice: str
    values: Mapping[str, Any]


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
        narrow: what a phone shows in place of the panels, each at most 350 pixels wide; empty if they fit.
    """

    panels: Sequence[Panel]
    numbers: str
    alt: str
    limits: Mapping[str, float] = field(default_factory=dict)
    idle: Collection[str] = ()
    narrow: Sequence[Panel] = ()


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
    named: tuple[Named, ...] = ()
    opens: str = ""

    @property
    def opening(self) -> Named | None:
        """The setting at which the figure opens: the one that it names, or else one that has the knobs' defaults."""
        defaults = {knob.name: knob.default for knob in self.knobs}
        at_defaults = (one for one in self.named if all(defaults[name] == value for name, value in one.values.items()))
        return next((one for one in self.named if one.name == self.opens), next(at_defaults, None))

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
                raise ValueError(f"settings must name knobs of {self.name}: {', '.join(known)}, got {name!r}")
        values = {name: knob.check(settings.get(name, knob.default)) for name, knob in known.items()}
        picture = self.function(**values)
        for name in (*picture.limits, *picture.idle):
            if name not in known:
                raise ValueError(f"limits and idle must name knobs of {self.name}: {', '.join(known)}, got {name!r}")
        return picture

    def drawn(self, raw: Mapping[str, str]) -> Drawn:
        """Return the picture of settings that come from a page or a link, as text.

        What is no knob's name is passed over: a link may be older than the figure.

        >>> from snippets.foundations.alpha_beta.live import message_time
        >>> message_time.drawn({"messages": "2"}).changed
        {'messages': '2'}
        """
        if not isinstance(raw, Mapping):
            raise ValueError(f"raw must be a mapping of knobs' names to texts, got {raw!r}")
        known = {knob.name: knob for knob in self.knobs}
        values: dict[str, Any] = {
            name: knob.read(raw[name]) if name in raw else knob.default for name, knob in known.items()
        }
        picture = self(**values)
        sliders = [knob for knob in self.knobs if isinstance(knob, Number)]
        for knob in sliders:
            values[knob.name] = min(values[knob.name], picture.limits.get(knob.name, knob.high))
        return Drawn(
            svgs=[*map(in_page, picture.panels), *(in_page(panel, narrow=True) for panel in picture.narrow)],
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
            "named": [
                {"name": named.name, "notice": named.notice, "settings": self._sent(named)} for named in self.named
            ],
            "opens": self.opening.name if self.opening else "",
            "drawn": asdict(self.drawn(self.opens_at())),
            "near": {settings_key(raw): asdict(drawn) for raw, drawn in self._near()},
            "code": inspect.getsource(self.function),
        }

    def opens_at(self) -> dict[str, str]:
        """Return the setting at which the figure opens as the page sends it.

        >>> from snippets.foundations.alpha_beta.live import message_time
        >>> message_time.opens_at()["messages"]
        '1000'
        """
        return self._sent(self.opening) if self.opening else {}

    def _sent(self, named: Named) -> dict[str, str]:
        """Return a named setting as the page sends it: what does not stand at its default."""
        known = {knob.name: knob for knob in self.knobs}
        values: dict[str, Any] = {name: known[name].check(value) for name, value in named.values.items()}
        return {name: known[name].plain(value) for name, value in values.items() if value != known[name].default}

    def _near(self) -> Iterator[tuple[dict[str, str], Drawn]]:
        """Yield what a page can show before Python runs: defaults, named settings, a turn of the knobs turned first.

        What can be played is drawn from end to end where it opens, unless that is long: the first Play is not cut off.
        """
        numbers = [knob for knob in self.knobs if isinstance(knob, Number)]
        played = [knob for knob in numbers if knob.play]
        turned = {knob.name: knob for knob in [self.knobs[0], *numbers[:1], *played]}
        first = self.opens_at()
        turns = [{**first, name: stop} for name, knob in turned.items() for stop in _near_stops(knob, first.get(name))]
        most = self.drawn(first).most
        whole = [knob.name for knob in played if most[knob.name] < PLAYED]
        turns += [{**first, name: f"@{place}"} for name in whole for place in range(most[name] + 1)]
        for raw in [{}, *map(self._sent, self.named), *turns]:
            with suppress(ValueError):  # a stop that the other knobs do not allow has no picture
                yield raw, self.drawn(raw)


def _near_stops(knob: Knob, opens: str | None) -> list[str]:
    """Return the stops near the value at which a knob opens, and that value's own, as the page sends them."""
    value: Any = knob.default if opens is None else knob.read(opens)
    if isinstance(knob, Number):
        stops, at = [f"@{place}" for place in range(len(knob.stops))], knob.place(value)
    elif isinstance(knob, Choice):
        stops, at = [*knob.options], [*knob.options].index(value)
    else:
        stops, at = ["off", "on"], int(value)
    return stops[max(at - NEAR, 0) : at + NEAR + 1]


def settings_key(raw: Mapping[str, str]) -> str:
    """Return settings as one text, the same for the same settings; the page's script writes it in the same way.

    Args:
        raw: knobs' names and texts, as the page sends them.

    >>> settings_key({"ranks": "@3", "model": "GPT-3 α"})
    '{"model":"GPT-3 α","ranks":"@3"}'
    """
    if not isinstance(raw, Mapping) or not all(isinstance(part, str) for pair in raw.items() for part in pair):
        raise ValueError(f"raw must be a mapping of knobs' names to texts, got {raw!r}")
    return json.dumps({**raw}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _described(knob: Knob) -> dict[str, Any]:
    own: dict[str, Any] = {"kind": type(knob).__name__.lower(), "name": knob.name, "label": knob.label}
    if isinstance(knob, Number):
        return {**own, "play": knob.play, "stops": [knob.write(stop) for stop in knob.stops]}
    if isinstance(knob, Choice):  # as pairs, for a notebook's JSON is sorted by keys
        own["options"] = [list(option) for option in knob.options.items()]
    return {**own, "default": knob.default}


def _knob(name: str, value: Any) -> Knob:
    if not isinstance(value, Number | Choice | Switch):
        raise ValueError(f"{name} must be a Number, a Choice or a Switch, got {value!r}")
    return value


def live_figure(
    *, title: str, caption: str, knobs: Sequence[Knob], named: Sequence[Named] = (), opens: str = ""
) -> Callable[[Callable[..., Picture]], LiveFigure]:
    """Return what makes a function from settings to a ``Picture`` a live figure.

    Args:
        title: what the figure lets the reader do, a few words.
        caption: what to try and to look for; Markdown, with TeX between dollar signs.
        knobs: in the order in which the page shows them, one for each argument of the function.
        named: settings that the page offers as buttons.
        opens: the name of the setting at which the figure opens, with its sentence. Empty: it opens at the knobs'
            defaults.

    Raises:
        ValueError: a text is empty; there is no knob, two have one name, or they are not the function's arguments; a
            named setting has no name or sentence, or one that another has, or a value that its knob does not allow;
            ``opens`` is the name of none.

    Example:
        >>> @live_figure(title="A square", caption="How it grows.", knobs=[Number("side_px", "Side a", 5, 1, 9)])
        ... def square(side_px: int) -> Picture:
        ...     return Picture([Panel(side_px, side_px)], numbers=f"It has {side_px**2} pixels.", alt="A square.")
        >>> square(side_px=3).numbers
        'It has 9 pixels.'
    """
    for name, sentence in (("title", title), ("caption", caption)):
        if not text(name, sentence).strip():
            raise ValueError(f"{name} must be a text that says what the figure does, got {sentence!r}")
    names = [knob.name for knob in each("knobs", knobs, _knob)]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"knobs must be at least one, each with a name of its own, got {names}")
    _check_named(named, {knob.name: knob for knob in knobs})
    if text("opens", opens) and opens not in [setting.name for setting in named]:
        offered = ", ".join(setting.name for setting in named)
        raise ValueError(f"opens must be the name of a setting: {offered}, got {opens!r}")

    def declare(function: Callable[..., Picture]) -> LiveFigure:
        if not inspect.isfunction(function) or not function.__name__.isidentifier():
            raise ValueError(f"function must be one that is defined with a name, got {function!r}")
        arguments = list(inspect.signature(function).parameters)
        if sorted(arguments) != sorted(names):
            raise ValueError(f"knobs must be one for each argument of {function.__name__}, {arguments}, got {names}")
        return LiveFigure(function, title, caption, tuple(knobs), tuple(named), opens)

    return declare


def _named(name: str, setting: Any) -> Named:
    if not isinstance(setting, Named) or not text(name, setting.name).strip():
        raise ValueError(f"{name} must be a Named with a name, got {setting!r}")
    if not text(name, setting.notice).strip().endswith((".", "?")):
        raise ValueError(f"{name} must say in a sentence what to notice, got {setting.notice!r}")
    if not isinstance(setting.values, Mapping) or not setting.values:
        raise ValueError(f"{name} must set at least one knob, got {setting.values!r}")
    return setting


def _check_named(named: Sequence[Named], knobs: Mapping[str, Knob]) -> None:
    """Raise ``ValueError`` unless each setting has its own name, a sentence, and values that its knobs allow."""
    for setting in each("named", named, _named):
        if not setting.values.keys() <= knobs.keys():
            raise ValueError(f"named must set knobs, of {', '.join(knobs)}, got {dict(setting.values)!r}")
        for name, value in setting.values.items():
            knobs[name].check(value)
    names = [setting.name for setting in named]
    if len(set(names)) < len(names):
        raise ValueError(f"named must each have a name of its own, got {names}")


def in_page(panel: Panel, *, narrow: bool = False) -> str:
    """Return a panel's SVG as it stands in a page, where the alt text is told for all panels at once.

    Args:
        panel: the picture.
        narrow: whether it stands in for wide ones on a phone.

    >>> in_page(Panel(9, 9))[:24]
    '<svg aria-hidden="true" '
    """
    if not isinstance(panel, Panel):
        raise ValueError(f"panel must be a Panel, got {panel!r}")
    svg = panel.svg().replace("<svg ", '<svg aria-hidden="true" ', 1)
    if flag("narrow", narrow) and panel.width > NARROW_PX:
        raise ValueError(f"panel must be at most {NARROW_PX:g} pixels wide to be narrow, got {panel.width!r}")
    if narrow or panel.width > NARROW_PX:  # without a narrow form a wide one scrolls instead of shrinking
        svg = svg.replace('class="panel"', f'class="panel {"narrow" if narrow else "wide"}"', 1)
    return svg


def draw(module: str, name: str, raw: str) -> str:
    """Draw a figure for a page: what its worker calls.

    Args:
        module: where the figure stands, such as ``snippets.foundations.alpha_beta.live``.
        name: its name there.
        raw: the settings as JSON, each as the page sends it.

    Returns:
        As JSON ``{"drawn": …}`` (see ``Drawn``), or ``{"problem": …, "knob": …}`` with the reason why there is no
        picture and the name of the knob that it is about, ``""`` if it is about none alone.

    Raises:
        ValueError: there is no such figure, or ``raw`` is no JSON object.

    >>> draw("snippets.parallelism.pipeline.live", "pipeline_schedule", '{"stages": "1"}')
    '{"problem": "Stages p must be a whole number from 2 to 16, got 1", "knob": "stages"}'
    """
    figure, settings = find(module, name), _settings(raw)
    try:
        return json.dumps({"drawn": asdict(figure.drawn(settings))})
    except ValueError as error:
        labels = {knob.name: knob.label for knob in figure.knobs}  # by which the page calls a knob
        knob, rest = re.fullmatch(r"(\w*)(.*)", str(error), re.DOTALL).groups()  # type: ignore[union-attr]
        about = knob if knob in labels else ""
        return json.dumps({"problem": labels.get(knob, knob) + rest, "knob": about})


def _settings(raw: str) -> dict[str, str]:
    try:
        settings = json.loads(text("raw", raw))
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        raise ValueError(f"raw must be a JSON object of knobs' names and texts, got {raw!r}")
    return settings


def find(module: str, name: str) -> LiveFigure:
    """Return the live figure of a name in a module of this package.

    Args:
        module: such as ``snippets.foundations.alpha_beta.live``.
        name: the figure's function there.

    Raises:
        ValueError: there is none.

    >>> find("snippets.parallelism.pipeline.live", "pipeline_schedule").title
    'Run a pipeline'
    """
    named = re.fullmatch(r"((snippets\.\w+)\.\w+)\.live", text("module", module))
    if not named or not all(map(find_spec, (named[2], named[1], module))):  # a package before what is in it
        raise ValueError(f"module must be one of live figures, snippets.<part>.<chapter>.live, got {module!r}")
    figure = getattr(import_module(module), text("name", name), None)
    if not isinstance(figure, LiveFigure):
        raise ValueError(f"name must be a live figure of {module}, got {name!r}")
    return figure
