"""Figures: schematic pictures as SVG, written with the standard library alone so that they can run in a browser.

Text stays text and colours are names of ``snippets.palette``, which follow the page's light or dark palette.
"""

from __future__ import annotations

from typing import Literal
from xml.etree import ElementTree

from snippets.domain import one_of, positive_number
from snippets.palette import COLOURS

Anchor = Literal["start", "middle", "end"]
FONT_PX = 13


def _number(value: float) -> str:
    """Write a coordinate with two decimals at most."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


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
        strength: float = 0.22,
        dashed: bool = False,
    ) -> None:
        """Draw a block: an outline in ``colour``, a tint inside (``strength`` from 0 to 1), a label in its middle."""
        attributes = {"x": x, "y": y, "width": max(width, 0), "height": max(height, 0)}
        element = self._add("rect", attributes, self._class("b", colour))
        element.set("fill-opacity", _number(strength))
        if dashed:
            element.set("stroke-dasharray", "4 3")
        if label:
            self.text(x + width / 2, y + height / 2, label, anchor="middle", middle=True)

    def line(self, x1: float, y1: float, x2: float, y2: float, *, colour: str = "muted", dashed: bool = False) -> None:
        """Draw a line from (x1, y1) to (x2, y2)."""
        element = self._add("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, self._class("l", colour))
        if dashed:
            element.set("stroke-dasharray", "4 3")

    def arrow(self, x1: float, y1: float, x2: float, y2: float, *, colour: str = "muted") -> None:
        """Draw an arrow from (x1, y1) to (x2, y2)."""
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        if length == 0:
            raise ValueError(f"an arrow needs two different ends, got ({x1!r}, {y1!r}) twice")
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
        """Write ``content`` with its baseline at ``y`` (its middle with ``middle=True``), its ``anchor`` at ``x``."""
        one_of("anchor", anchor, ("start", "middle", "end"))
        element = self._add("text", {"x": x, "y": y + (size * 0.35 if middle else 0)}, self._class("t", colour))
        if anchor != "start":
            element.set("text-anchor", anchor)
        if size != FONT_PX:
            element.set("font-size", _number(size))
        if bold:
            element.set("font-weight", "600")
        element.text = content

    def svg(self) -> str:
        """Return the picture as one SVG element."""
        box = f"0 0 {_number(self.width)} {_number(self.height)}"
        root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box})
        root.set("width", _number(self.width))
        root.set("height", _number(self.height))
        root.set("font-family", "system-ui, sans-serif")
        root.set("font-size", str(FONT_PX))
        ElementTree.SubElement(root, "style").text = "".join(self._classes[name] for name in sorted(self._classes))
        root.extend(self._body)
        return ElementTree.tostring(root, encoding="unicode")

    def _class(self, kind: Literal["b", "l", "t"], colour: str) -> str:
        """Return the class of a block, a line or a text in ``colour``, and remember its rule."""
        value = COLOURS[one_of("colour", colour, COLOURS.keys())].css
        name = f"{kind}-{colour}"
        rules = {
            "b": f"fill:{value};stroke:{value};stroke-width:1.5",
            "l": f"stroke:{value};stroke-width:1.5",
            "t": f"fill:{value}",
        }
        self._classes[name] = f".{name}{{{rules[kind]}}}"
        return name

    def _add(self, tag: str, attributes: dict[str, float], class_name: str) -> ElementTree.Element:
        element = ElementTree.SubElement(self._body, tag, {key: _number(value) for key, value in attributes.items()})
        element.set("class", class_name)
        return element
