"""Drawings: schematic pictures as SVG, written with the standard library alone so that they can run in a browser.

Text stays text and colours are names of ``snippets.palette``, which follow the page's light or dark palette.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal
from xml.etree import ElementTree

from snippets.domain import each, finite_number, flag, number_between, one_of, positive_number, probability
from snippets.domain import text as checked_text
from snippets.palette import COLOURS, LIGHT_PAGE

Anchor = Literal["start", "middle", "end"]
_ANCHORS: tuple[Anchor, ...] = ("start", "middle", "end")
Spot = tuple[float, float, Anchor]  # of a text: x, its baseline's y, and which end of it is at x
Edges = tuple[float, float, float, float]  # left, top, right, bottom
FONT_PX = 13
TINT = 0.22
_NARROW, _WIDE = frozenset(" .,:;'|!()[]ijlIrtf·"), frozenset("mwMW—…%")
_BOLDER = 1.1  # times as wide as a text of usual weight


def _number(value: float) -> str:
    """Write a number to a tenth of a pixel (a share below one to a hundredth)."""
    text = f"{value:.{1 if abs(value) >= 1 else 2}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


PAPER = f' style="background:{LIGHT_PAGE}"'


def on_paper(svg: str) -> str:
    """Return a picture with a light ground, for a notebook: no page sets its colours there, and the theme may be dark.

    >>> on_paper('<svg viewBox="0 0 1 1"/>')
    '<svg style="background:#ffffff" viewBox="0 0 1 1"/>'
    """
    return checked_text("svg", svg).replace("<svg", f"<svg{PAPER}", 1)


MOST_PX = 1e6  # what lies farther out is a slip


def _finite(**places: float) -> list[float]:
    """Return coordinates as floats, or raise ``ValueError``."""
    for name, place in places.items():
        if abs(finite_number(name, place)) > MOST_PX:
            raise ValueError(f"{name} must be from -{MOST_PX:g} to {MOST_PX:g} pixels, got {place!r}")
    return [float(place) for place in places.values()]


def _listed(name: str, values: Iterable[Any]) -> Sequence[Any]:
    if not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list or another iterable, got {values!r}")
    return values if isinstance(values, Sequence) else list(values)


def _place(name: str, value: float) -> float:
    (place,) = _finite(**{name: value})
    return place


def _box(name: str, value: tuple[float, float, float, float]) -> tuple[float, ...]:
    """Return x, y, width and height, or raise ``ValueError``."""
    box = each(name, value, _place)
    if len(box) != 4:
        raise ValueError(f"{name} must be x, y, width and height, got {value!r}")
    return box


def _boxes(boxes: Iterable[tuple[float, float, float, float]]) -> Sequence[tuple[float, ...]]:
    """Return boxes, each x, y, width and height, or raise ``ValueError``; what is plainly right is let through fast."""
    given = _listed("boxes", boxes)
    return given if _plainly_right(given, 4) else each("boxes", given, _box)


def _plainly_right(entries: Sequence[Any], length: int) -> bool:
    """Return whether entries are a list of tuples of so many floats within reach."""
    if not isinstance(entries, list):
        return False
    for entry in entries:
        if type(entry) is not tuple or len(entry) != length:
            return False
        for place in entry:
            if type(place) is not float or not -MOST_PX <= place <= MOST_PX:
                return False
    return True


def _points(points: Iterable[tuple[float, float]]) -> Sequence[tuple[float, ...]]:
    """Return points, each x and y, or raise ``ValueError``; what is plainly right is let through fast."""
    given = _listed("points", points)
    return given if _plainly_right(given, 2) else each("points", given, _point)


def _point(name: str, value: tuple[float, float]) -> tuple[float, ...]:
    """Return x and y, or raise ``ValueError``."""
    point = each(name, value, _place)
    if len(point) != 2:
        raise ValueError(f"{name} must be x and y, got {value!r}")
    return point


def text_width_px(content: str, *, size: float = FONT_PX, bold: bool = False) -> float:
    """Return about how wide a text is in a wide font: which one a reader has is not known.

    Args:
        content: the text.
        size: of its font in pixels, from 0 to a million.
        bold: whether it's bold.

    >>> text_width_px("12 ms", size=10)
    30.8
    """
    size = number_between("size", size, low=0, high=MOST_PX)
    return _width(checked_text("content", content), size, flag("bold", bold))


def _width(content: str, size: float, bold: bool) -> float:
    ems = sum(0.38 if sign in _NARROW else 0.9 if sign in _WIDE else 0.6 for sign in content)
    return size * ems * (_BOLDER if bold else 1)


def _text_edges(x: float, y: float, content: str, anchor: Anchor, size: float, bold: bool) -> Edges:
    """Return about where a text lies whose baseline is at ``y``."""
    width = _width(content, size, bold)
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    return left, y - 0.75 * size, left + width, y + 0.2 * size


def _apart(one: Edges, other: Edges) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def _clear(box: Edges, edges: Edges, taken: Iterable[Edges]) -> bool:
    """Return whether a box lies inside edges and apart from what is taken."""
    inside = edges[0] <= box[0] and edges[1] <= box[1] and box[2] <= edges[2] and box[3] <= edges[3]
    return inside and all(_apart(box, other) for other in taken)


def _spot(name: str, value: Spot) -> Spot:
    """Return x, y and an anchor, or raise ``ValueError``."""
    if not isinstance(value, tuple) or len(value) != 3:
        raise ValueError(f"{name} must be x, y and an anchor, got {value!r}")
    anchor = one_of(f"{name}[2]", value[2], _ANCHORS)
    return _place(f"{name}[0]", value[0]), _place(f"{name}[1]", value[1]), anchor


# Most texts of a picture are ink and centred, so that is the rule and the others carry a class.
_TEXT_RULES = (
    f".panel text{{fill:{COLOURS['ink'].css};text-anchor:middle}}"
    ".panel .start{text-anchor:start}.panel .end{text-anchor:end}"
)


def _rule(kind: str, colour: str) -> str:
    """Return the rule of a block (b), a line (l) or a text or arrow head (t) in a colour."""
    value = COLOURS[colour].css
    # A text's colour is stronger than what the other pictures of the page say of all their texts.
    return {
        "b": f".b-{colour}{{fill:{value};fill-opacity:{TINT};stroke:{value};stroke-width:1.5}}",
        "l": f".l-{colour}{{fill:none;stroke:{value};stroke-width:1.5}}",
        "t": f".panel .t-{colour}{{fill:{value}}}",
    }[kind]


class Panel:
    """One picture of ``width`` × ``height`` pixels at its natural size, its origin at the top left.

    A figure is made of panels that stand side by side on a wide screen and stack on a narrow one, so a panel is at most
    about 340 pixels wide if its text is to stay readable on a phone.

    Example:
        >>> panel = Panel(120, 40)
        >>> panel.rectangle(10, 10, 40, 20, colour="rank-0", label="A0")
        >>> panel.arrow(54, 20, 90, 20)
        >>> panel.svg().startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"')
        True
    """

    def __init__(self, width: float, height: float) -> None:
        self.width = positive_number("width", width)
        self.height = positive_number("height", height)
        self._classes: dict[str, str] = {}
        self._texts: list[tuple[float, float, str, Anchor, float, bool]] = []
        self._body = ElementTree.Element("g")

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        colour: str,
        label: str = "",
        strength: float = TINT,
        dashed: bool = False,
    ) -> None:
        """Draw a block: an outline in ``colour``, a tint inside (``strength`` from 0 to 1), a label in its middle.

        A place may be negative; a negative size counts as 0.
        """
        x, y, width, height = _finite(x=x, y=y, width=width, height=height)
        strength, dashed = probability("strength", strength), flag("dashed", dashed)
        label = checked_text("label", label)
        attributes = {"x": x, "y": y, "width": max(width, 0), "height": max(height, 0)}
        element = self._add("rect", attributes, self._class("b", colour))
        if strength != TINT:
            element.set("style", f"fill-opacity:{_number(strength)}")
        if dashed:
            element.set("stroke-dasharray", "4 3")
        if label:
            self.text(x + width / 2, y + height / 2, label, anchor="middle", middle=True)

    def line(self, x1: float, y1: float, x2: float, y2: float, *, colour: str = "muted", dashed: bool = False) -> None:
        """Draw a line from (x1, y1) to (x2, y2), which may be negative."""
        x1, y1, x2, y2 = _finite(x1=x1, y1=y1, x2=x2, y2=y2)
        element = self._add("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, self._class("l", colour))
        if flag("dashed", dashed):
            element.set("stroke-dasharray", "4 3")

    def arrow(self, x1: float, y1: float, x2: float, y2: float, *, colour: str = "muted") -> None:
        """Draw an arrow from (x1, y1) to (x2, y2), which may be negative."""
        x1, y1, x2, y2 = _finite(x1=x1, y1=y1, x2=x2, y2=y2)
        length = math.hypot(x2 - x1, y2 - y1)
        if length == 0:
            raise ValueError(f"x1, y1 and x2, y2 must be two different ends, got ({x1!r}, {y1!r}) twice")
        along_x, along_y = (x2 - x1) / length * 6, (y2 - y1) / length * 6
        corners = [(x2, y2), (x2 - along_x - along_y / 2, y2 - along_y + along_x / 2)]
        corners.append((x2 - along_x + along_y / 2, y2 - along_y - along_x / 2))
        self.line(x1, y1, x2 - along_x, y2 - along_y, colour=colour)
        head = ElementTree.SubElement(self._body, "path", {"class": self._class("t", colour)})
        head.set("d", "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in corners) + "Z")

    def text(
        self,
        x: float,
        y: float,
        content: str,
        *,
        anchor: Anchor = "start",
        colour: str = "ink",
        size: float = FONT_PX,
        bold: bool = False,
        middle: bool = False,
    ) -> None:
        """Write ``content`` with its baseline at ``y`` (its middle with ``middle=True``), its ``anchor`` at ``x``.

        A place may be negative.
        """
        x, y = _finite(x=x, y=y)
        size, content = positive_number("size", size), checked_text("content", content)
        bold, middle = flag("bold", bold), flag("middle", middle)
        one_of("anchor", anchor, _ANCHORS)
        one_of("colour", colour, COLOURS.keys())
        classes: list[str] = [anchor] if anchor != "middle" else []
        classes += [self._class("t", colour)] if colour != "ink" else []
        place = {"x": x, "y": y + (size * 0.35 if middle else 0)}
        element = self._add("text", place, " ".join(classes))
        if size != FONT_PX:
            element.set("font-size", _number(size))
        if bold:
            element.set("font-weight", "600")
        element.text = content
        self._texts.append((place["x"], place["y"], content, anchor, size, bold))

    def label(
        self,
        content: str,
        spots: Iterable[Spot],
        *,
        colour: str = "ink",
        size: float = FONT_PX,
        bold: bool = False,
        lowest: float | None = None,
    ) -> None:
        """Write ``content`` at the first spot where it is clear: in the panel, and on no text that is written already.

        Where no spot is clear, it stands at the first.

        Args:
            content: the text.
            spots: for each x, the baseline's y and an anchor; a place may be negative.
            colour: of the text.
            size: of its font.
            bold: whether it's bold.
            lowest: a y, at least 0, below which it is not clear; by default the panel's lower edge.

        Raises:
            ValueError: there is no spot, or an argument is no number, text or name of a colour.

        >>> panel = Panel(120, 40)
        >>> panel.text(10, 20, "10 ms")
        >>> panel.label("best", [(30, 24, "start"), (30, 36, "start")])
        >>> 'y="36" class="start">best' in panel.svg()
        True
        """
        choices = each("spots", _listed("spots", spots), _spot)
        if not choices:
            raise ValueError("spots must hold at least one, got none")
        size, bold, content = positive_number("size", size), flag("bold", bold), checked_text("content", content)
        bottom = self.height if lowest is None else number_between("lowest", lowest, low=0, high=MOST_PX)
        edges = 0.0, 0.0, self.width, bottom
        taken = [_text_edges(*written) for written in self._texts]
        boxes = [_text_edges(x, y, content, anchor, size, bold) for x, y, anchor in choices]
        clear = (spot for spot, box in zip(choices, boxes, strict=True) if _clear(box, edges, taken))
        x, y, anchor = next(clear, choices[0])
        self.text(x, y, content, anchor=anchor, colour=colour, size=size, bold=bold)

    def rectangles(
        self, boxes: Iterable[tuple[float, float, float, float]], *, colour: str, strength: float = TINT
    ) -> None:
        """Draw many blocks of one colour, each given as x, y, width, height, as one shape, to save bytes.

        >>> Panel(10, 10).rectangles([(1, 1, 2, 2), (5, 1, 2, 2)], colour="rank-0", strength=0.5)
        """
        checked = _boxes(boxes)
        strength = probability("strength", strength)
        one_of("colour", colour, COLOURS.keys())
        path = "".join(f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h{-width:.1f}z" for x, y, width, height in checked)
        if path:
            element = ElementTree.SubElement(self._body, "path", {"class": self._class("b", colour), "d": path})
            element.set("style", f"fill-opacity:{_number(strength)};stroke-width:1")

    def bars(self, boxes: Iterable[tuple[float, float, float, float]], *, colour: str, strength: float = TINT) -> None:
        """Draw many blocks of one colour and height without outlines, to save still more bytes than ``rectangles``.

        Args:
            boxes: each as x, y, width, height; all heights equal, those of a row in the order of x.
            colour: of all.
            strength: how opaque they are, from 0 to 1.

        Raises:
            ValueError: heights differ, or an argument is no number.

        >>> Panel(10, 10).bars([(1, 1, 2, 2), (3, 1, 4, 2)], colour="rank-0", strength=0.5)
        """
        checked = _boxes(boxes)
        strength = probability("strength", strength)
        one_of("colour", colour, COLOURS.keys())
        heights = {height for _, _, _, height in checked}
        if len(heights) > 1:
            raise ValueError(f"boxes must have one height, got {len(heights)}")
        if not checked:
            return
        # A block is a piece of a thick line. Places are in tenths of a pixel, so that no error adds up.
        path, row, end = [], math.nan, 0
        for x, y, width, height in checked:
            start, middle, stop = round(10 * x), y + height / 2, round(10 * (x + width))
            path.append(f"m{(start - end) / 10:g} 0" if middle == row else f"M{start / 10:g} {middle:.6g}")
            path.append(f"h{(stop - start) / 10:g}")
            row, end = middle, stop
        element = ElementTree.SubElement(self._body, "path", {"class": self._class("l", colour), "d": "".join(path)})
        element.set("style", f"stroke-width:{_number(heights.pop())};stroke-opacity:{_number(strength)}")

    def curve(
        self, points: Iterable[tuple[float, float]], *, colour: str, width: float = 2, dashed: bool = False
    ) -> None:
        """Draw straight lines from point to point, each given as x, y; a single point draws nothing.

        >>> Panel(10, 10).curve([(1, 1), (2, 2), (8, 2)], colour="rank-0")
        """
        checked = _points(points)
        width, dashed = positive_number("width", width), flag("dashed", dashed)
        one_of("colour", colour, COLOURS.keys())
        if len(checked) < 2:
            return
        path = "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in checked)
        element = ElementTree.SubElement(self._body, "path", {"class": self._class("l", colour), "d": path})
        element.set("style", f"stroke-width:{_number(width)}")
        if dashed:
            element.set("stroke-dasharray", "5 4")

    def dots(self, points: Iterable[tuple[float, float]], *, colour: str, radius: float = 3) -> None:
        """Draw filled dots, each given by the x and y of its centre, as one shape, to save bytes.

        >>> Panel(10, 10).dots([(1, 1), (5, 5)], colour="rank-0")
        """
        checked = _points(points)
        radius = positive_number("radius", radius)
        one_of("colour", colour, COLOURS.keys())
        if checked:
            # A line of no length with round ends is a dot.
            path = "".join(f"M{_number(x)} {_number(y)}h0" for x, y in checked)
            element = ElementTree.SubElement(self._body, "path", {"class": self._class("l", colour), "d": path})
            element.set("style", f"stroke-width:{_number(2 * radius)};stroke-linecap:round")

    def signs(self, xs: Sequence[float], y: float, contents: Sequence[str], *, size: float = FONT_PX) -> None:
        """Write texts centred at ``xs``, their middles at ``y``: single characters as one element, to save bytes.

        Raises:
            ValueError: there are not as many texts as places, or an argument is no number or text.

        The places may be negative.

        >>> Panel(10, 10).signs([1, 2], 3, ["a", "b"])
        """
        xs, size = each("xs", xs, _place), positive_number("size", size)
        (y,), contents = _finite(y=y), each("contents", contents, checked_text)
        if len(xs) != len(contents):
            raise ValueError(f"contents must have one text for each of {len(xs)} places in xs, got {len(contents)}")
        if not xs or any(len(content) != 1 for content in contents):
            for x, content in zip(xs, contents, strict=True):
                self.text(x, y, content, anchor="middle", middle=True, size=size)
            return
        element = self._add("text", {"y": y + size * 0.35}, "")
        if size != FONT_PX:
            element.set("font-size", _number(size))
        element.set("x", " ".join(_number(x) for x in xs))
        element.text = "".join(contents)
        for x, content in zip(xs, contents, strict=True):
            self._texts.append((x, y + size * 0.35, content, "middle", size, False))

    def svg(self) -> str:
        """Return the picture as one SVG element."""
        box = f"0 0 {_number(self.width)} {_number(self.height)}"
        root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box})
        root.set("width", _number(self.width))
        root.set("height", _number(self.height))
        root.set("class", "panel")
        root.set("font-family", "system-ui, sans-serif")
        root.set("font-size", str(FONT_PX))
        rules = _TEXT_RULES + "".join(self._classes[name] for name in sorted(self._classes))
        ElementTree.SubElement(root, "style").text = rules
        root.extend(self._body)
        return ElementTree.tostring(root, encoding="unicode")

    def _repr_svg_(self) -> str:
        """Return what Jupyter shows."""
        return on_paper(self.svg())

    def _class(self, kind: Literal["b", "l", "t"], colour: str) -> str:
        """Return the class of a block, a line or a text in ``colour``, and remember its rule."""
        name = f"{kind}-{one_of('colour', colour, COLOURS.keys())}"
        self._classes[name] = _rule(kind, colour)
        return name

    def _add(self, tag: str, attributes: dict[str, float], class_name: str) -> ElementTree.Element:
        element = ElementTree.SubElement(self._body, tag, {key: _number(value) for key, value in attributes.items()})
        if class_name:
            element.set("class", class_name)
        return element
