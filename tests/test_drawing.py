"""Pictures: valid SVG, text that is text, colours of the palette alone, the same bytes twice; refusals that help."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font
from sampling import examples

from snippets import figures
from snippets.drawing import Panel, Spot, on_paper, text_width_px
from snippets.foundations.alpha_beta.live import message_time
from snippets.live.declaring import in_page
from snippets.palette import COLOURS, LIGHT_PAGE

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[1]
numbers = st.floats(-1000, 1000)
names = st.sampled_from(sorted(COLOURS))


def _panel() -> Panel:
    panel = Panel(200, 100)
    panel.rectangle(10, 10, 60, 20, colour="rank-0", label="A₀ < B & C")
    panel.rectangle(10, 40, 60, 20, colour="rank-1", strength=1 / 3, dashed=True)
    panel.line(0, 0, 200 / 3, 100 / 7, colour="line", dashed=True)
    panel.arrow(70, 20, 120, 60, colour="communication")
    panel.text(120, 80, "sum of c(p)", anchor="middle", colour="muted", size=12, bold=True)
    return panel


def _plot(label: str = "bytes sent") -> str:
    with figures.plot(width_px=300, height_px=200) as (figure, axes):
        axes.plot([1, 2, 3], [1, 4, 9], color=figures.colour("rank-2"), label="cut x")
        axes.set(xlabel=label, ylabel="MB", xscale="log")
        axes.legend(frameon=False)
        return figures.svg_of(figure)


def _text(svg: str) -> str:
    return " ".join("".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))


def _colours(svg: str) -> set[str]:
    """Return every colour that the picture uses, whether as an attribute or in its style sheet."""
    used = re.findall(r"""(?<![-\w])(?:fill|stroke|color)(?:=["']|:\s*)([^"';}]+)""", svg)
    return {colour.strip() for colour in used} - {"none"}


def _rules(svg: str) -> dict[str, str]:
    """Return the style sheet of a picture: the rule of each selector."""
    sheet = "".join(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}style"))
    return dict(re.findall(r"([^{}]+)\{([^{}]*)\}", sheet))


@pytest.mark.parametrize("draw", [lambda: _panel().svg(), _plot], ids=["panel", "plot"])
class TestEveryPicture:
    def test_is_xml_of_the_size_that_it_states(self, draw: Callable[[], str]) -> None:
        root = ElementTree.fromstring(draw())
        assert root.tag == f"{SVG}svg"
        width, height = (float(root.get(side, "nan")) for side in ("width", "height"))
        assert [float(number) for number in root.get("viewBox", "").split()] == pytest.approx([0, 0, width, height])

    def test_takes_its_colours_from_the_palette_alone(self, draw: Callable[[], str]) -> None:
        assert _colours(draw()) <= {colour.css for colour in COLOURS.values()}
        assert len(_colours(draw())) > 2

    def test_has_no_coordinate_of_more_than_two_decimals(self, draw: Callable[[], str]) -> None:
        assert re.findall(r"\d\.\d{3,}", draw()) == []

    def test_gives_the_same_bytes_twice(self, draw: Callable[[], str]) -> None:
        assert draw() == draw()

    def test_uses_no_id_twice(self, draw: Callable[[], str]) -> None:
        ids = [element.get("id") for element in ElementTree.fromstring(draw()).iter() if element.get("id")]
        assert len(ids) == len(set(ids))

    def test_styles_every_class_that_it_names(self, draw: Callable[[], str]) -> None:
        named = {name for element in ElementTree.fromstring(draw()).iter() for name in element.get("class", "").split()}
        styled = {name for selector in _rules(draw()) for name in re.findall(r"\.([\w-]+)", selector)}
        assert named <= styled


def test_the_frame_of_a_legend_follows_the_palette() -> None:
    with figures.plot() as (figure, axes):
        axes.plot([1, 2], color=figures.colour("rank-0"), label="x")
        axes.legend()
        svg = figures.svg_of(figure)
    assert _colours(svg) <= {colour.css for colour in COLOURS.values()}


def test_text_stays_text() -> None:
    assert _text(_panel().svg()) == "A₀ < B & C sum of c(p)"
    for word in ("bytes sent", "MB", "cut x"):
        assert word in _text(_plot())


def test_numbers_in_text_keep_their_digits() -> None:
    svg = _plot("η = 0.0198, 0.0202")
    assert "η = 0.0198, 0.0202" in _text(svg)
    assert not re.search(r"<[^>]*\d\.\d{2,}[^>]*>", svg)


def test_a_class_means_the_same_in_every_picture() -> None:
    """The style sheet of an inline SVG reaches the whole page, so equal names must have equal rules."""
    other = Panel(30, 30)
    other.rectangle(0, 0, 9, 9, colour="rank-0", strength=0.9)
    other.text(0, 9, "x", colour="muted", size=20)
    first, second = _rules(_panel().svg()), _rules(other.svg())
    assert first.keys() & second.keys()
    assert all(first[name] == second[name] for name in first.keys() & second.keys())


@pytest.mark.nightly
def test_a_plot_is_the_same_in_another_process() -> None:
    code = "import sys; sys.path.insert(0, 'tests'); from test_drawing import _plot; sys.stdout.write(_plot())"
    runs = [
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1] != ""


def test_single_signs_share_an_element_and_stand_where_texts_would() -> None:
    together, apart, longer = Panel(100, 40), Panel(100, 40), Panel(100, 40)
    together.signs([10, 20.5], 12, ["3", "7"])
    for x, sign in ((10, "3"), (20.5, "7")):
        apart.text(x, 12, sign, anchor="middle", middle=True)
    (one,) = ElementTree.fromstring(together.svg()).iter(f"{SVG}text")
    two = list(ElementTree.fromstring(apart.svg()).iter(f"{SVG}text"))
    assert one.get("x") == " ".join(str(element.get("x")) for element in two)
    assert {one.get("y")} == {element.get("y") for element in two}
    assert one.text == "".join(str(element.text) for element in two)
    longer.signs([10, 20], 12, ["3", "17"])
    assert [element.text for element in ElementTree.fromstring(longer.svg()).iter(f"{SVG}text")] == ["3", "17"]
    with pytest.raises(ValueError, match="contents must have one text for each of 2 places in xs, got 1"):
        longer.signs([10, 20], 12, ["3"])


def _font(bold: bool) -> FT2Font:
    """Return DejaVu Sans, the widest font that readers are likely to have, which matplotlib brings."""
    return FT2Font(font_manager.findfont(FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")))


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize(
    "content", ["best: 113 min", "exchange", "0.0383%", "yours 163 times", "Fullest GPU: 304.7 GB", "16,384"]
)
def test_a_text_is_about_as_wide_as_in_a_wide_font(content: str, bold: bool) -> None:
    font = _font(bold)
    font.set_size(13, 72)
    font.set_text(content)
    assert text_width_px(content, bold=bold) == pytest.approx(font.get_width_height()[0] / 64, rel=0.08)
    assert text_width_px(content, size=26, bold=bold) == 2 * text_width_px(content, bold=bold)


def _places_of(panel: Panel, content: str) -> list[tuple[str, str]]:
    texts = ElementTree.fromstring(panel.svg()).iter(f"{SVG}text")
    return [(text.get("x", ""), text.get("y", "")) for text in texts if text.text == content]


@pytest.mark.parametrize(
    ("first", "clear"),
    [
        ((104, 52, "start"), False),  # on the text
        ((96, 52, "end"), True),  # left of it
        ((96, 52, "middle"), False),  # half on it
        ((126, 52, "start"), False),
        ((127, 52, "start"), True),  # right of it
        ((104, 62, "start"), True),  # below
        ((104, 61, "start"), False),
        ((104, 38, "start"), True),  # above
        ((104, 39, "start"), False),
        ((2, 9, "start"), True),
        ((2, 8, "start"), False),  # too high, too far left or right, too low
        ((-1, 52, "start"), False),
        ((174, 52, "start"), False),
        ((173, 52, "start"), True),
        ((2, 97, "start"), True),
        ((2, 98, "start"), False),
    ],
)
def test_a_label_takes_the_first_spot_in_the_panel_and_on_no_text(first: Spot, clear: bool) -> None:
    panel = Panel(200, 100)
    panel.text(100, 50, "12.5", size=12)  # 26.2 px wide, from 41 down to 52.4
    panel.label("best", [first, (20, 80, "start")], size=12)  # 26.2 px wide
    assert _places_of(panel, "best") == ([(str(first[0]), str(first[1]))] if clear else [("20", "80")])


def test_a_label_keeps_off_signs_and_labels_and_stands_at_the_first_spot_where_none_is_clear() -> None:
    panel = Panel(60, 30)
    panel.signs([10, 50], 15, ["3", "7"])
    for _ in range(3):
        panel.label("o", [(10, 18, "middle"), (50, 18, "middle"), (30, 18, "middle")])
    assert _places_of(panel, "o") == [("30", "18"), ("10", "18"), ("10", "18")]
    panel.label("x", [(20, 24, "middle"), (20, 18, "middle")], lowest=22)
    assert _places_of(panel, "x") == [("20", "18")]


def test_a_label_looks_like_a_text() -> None:
    label, text = Panel(100, 40), Panel(100, 40)
    label.label("best", [(90, 20, "end")], colour="accent", size=12, bold=True)
    text.text(90, 20, "best", anchor="end", colour="accent", size=12, bold=True)
    assert label.svg() == text.svg()


@settings(max_examples=examples(60), deadline=None)
@given(
    x=numbers, y=numbers, width=st.floats(0, 1000), height=st.floats(0, 1000), colour=names, label=st.text("aΣ<&\"'é₂ ")
)
def test_any_block_is_valid_and_keeps_its_label(
    x: float, y: float, width: float, height: float, colour: str, label: str
) -> None:
    panel = Panel(100, 100)
    panel.rectangle(x, y, width, height, colour=colour, label=label)
    block = ElementTree.fromstring(panel.svg()).find(f".//{SVG}rect")
    assert block is not None
    assert float(block.get("x", "nan")) == pytest.approx(x, abs=0.051)
    assert float(block.get("width", "nan")) == pytest.approx(width, abs=0.051)
    assert "-0" not in (block.get("x"), block.get("y"))
    assert _text(panel.svg()) == label


@settings(max_examples=examples(60), deadline=None)
@given(x1=numbers, y1=numbers, x2=numbers, y2=numbers)
def test_an_arrow_points_to_its_end(x1: float, y1: float, x2: float, y2: float) -> None:
    panel = Panel(100, 100)
    length = math.hypot(x2 - x1, y2 - y1)
    if length == 0:
        with pytest.raises(ValueError, match="two different ends"):
            panel.arrow(x1, y1, x2, y2)
        return
    panel.arrow(x1, y1, x2, y2)
    root = ElementTree.fromstring(panel.svg())
    shaft, head = root.find(f".//{SVG}line"), root.find(f".//{SVG}path")
    assert shaft is not None
    assert head is not None
    corners = [[float(part) for part in pair.split()] for pair in head.get("d", "").strip("MZ").split("L")]
    tip, *base = corners
    assert tip == pytest.approx([x2, y2], abs=0.051)
    for corner in base:  # both behind the tip: 6 px along the shaft, 3 px to a side
        assert ((corner[0] - x2) ** 2 + (corner[1] - y2) ** 2) ** 0.5 == pytest.approx(45**0.5, abs=0.15)
        along = ((x2 - corner[0]) * (x2 - x1) + (y2 - corner[1]) * (y2 - y1)) / length
        assert along == pytest.approx(6, abs=0.15)
    end = float(shaft.get("x2", "nan")), float(shaft.get("y2", "nan"))
    assert end == pytest.approx([sum(side) / 2 for side in zip(*base, strict=True)], abs=0.15)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: Panel(0, 10), r"width must be a finite number above 0, got 0"),
        (lambda: Panel(10, float("nan")), r"height must be a finite number above 0, got nan"),
        (lambda: _panel().rectangle(0, 0, 1, 1, colour="red"), r"colour must be one of 'rank-0', .*, got 'red'"),
        (lambda: _panel().line(0, 0, 1, 1, colour="#ff0000"), r"colour must be one of .*, got '#ff0000'"),
        (lambda: _panel().text(0, 0, "x", anchor="left"), r"anchor must be one of .*'middle'.*, got 'left'"),  # type: ignore[arg-type]
        (lambda: _panel().label("x", []), r"spots must hold at least one, got none"),
        (lambda: _panel().label("x", [(0, 0)]), r"spots\[0\] must be x, y and an anchor, got \(0, 0\)"),  # type: ignore[list-item]
        (lambda: _panel().label("x", [(0, 0, "left")]), r"spots\[0\]\[2\] must be one of .*, got 'left'"),  # type: ignore[list-item]
        (
            lambda: _panel().label("x", [(0, 9, "end")], lowest=math.nan),
            r"lowest must be a number from 0 to .*, got nan",
        ),
        (lambda: _panel().arrow(1, 2, 1, 2), r"two different ends, got \(1.0, 2.0\) twice"),
        (lambda: figures.colour("red"), r"name must be one of 'rank-0', .*, got 'red'"),
        (lambda: figures.show(alt="a", caption="b"), r"panels must hold at least one picture, got none"),
        (lambda: figures.show(_panel(), alt=" ", caption="b"), r"alt must be a sentence .*, got ' '"),
        (lambda: figures.show(_panel(), alt="a", caption=""), r"caption must be a sentence .*, got ''"),
        (lambda: figures.plot(width_px=-1).__enter__(), r"width_px must be a finite number above 0, got -1"),
    ],
)
def test_errors_name_the_argument_and_its_value(draw: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw()


def test_show_emits_the_panels_then_the_caption(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[dict[str, str], dict[str, Any]]] = []
    monkeypatch.setattr(figures, "display", lambda data, *, raw, metadata: shown.append((data, metadata)))
    with figures.plot() as (figure, axes):
        axes.plot([0, 1], [0, 1])
        figures.show(_panel(), figure, "<svg/>", alt="Three pictures", caption="See $x$.")
        *panels, (caption, caption_metadata) = shown
        given = [_panel().svg(), figures.svg_of(figure), "<svg/>"]
        assert [data["image/svg+xml"] for data, _ in panels] == [*map(on_paper, given)]
    for data, metadata in panels:
        assert data["text/plain"] == "Three pictures"  # what Jupyter and a screen reader fall back to
        assert metadata["book"] == {"role": "panel", "alt": "Three pictures"}
    assert caption["text/markdown"] == "See $x$."
    assert caption_metadata["book"] == {"role": "caption"}
    json.dumps(shown)  # a notebook can hold it


def test_a_narrow_form_is_told_to_the_page_and_not_shown_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[dict[str, str], dict[str, Any]]] = []
    monkeypatch.setattr(figures, "display", lambda data, *, raw, metadata: shown.append((data, metadata)))
    figures.show(Panel(690, 40), narrow=[Panel(340, 80), "<svg/>"], alt="Two lanes.", caption="See.")
    (wide, metadata), (caption, _) = shown
    assert 'width="690"' in wide["image/svg+xml"]
    assert metadata["book"]["narrow"] == [Panel(340, 80).svg(), "<svg/>"]
    assert caption["text/markdown"] == "See."
    with pytest.raises(TypeError, match="narrow must hold Panels, matplotlib figures or SVG, got 3"):
        figures.show(Panel(690, 40), narrow=[3], alt="A.", caption="B.")  # type: ignore[list-item]


def test_in_a_notebook_every_picture_has_a_light_ground(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ink is dark where no page says otherwise, and a notebook's theme may be dark too."""
    shown: list[dict[str, str]] = []
    monkeypatch.setattr(figures, "display", lambda data, **_: shown.append(data))
    with figures.plot() as (figure, _axes):
        figures.show(_panel(), figure, _panel().svg(), alt="Three pictures", caption="See.")
    figures.show_live(message_time)
    pictures = [data["image/svg+xml"] for data in shown if "image/svg+xml" in data]
    assert len(pictures) > 3
    for svg in [*pictures, _panel()._repr_svg_()]:
        assert ElementTree.fromstring(svg).get("style") == f"background:{LIGHT_PAGE}"


def test_plot_leaves_no_trace() -> None:
    from matplotlib import pyplot

    before, figures = dict(matplotlib.rcParams), pyplot.get_fignums()
    _plot()
    assert pyplot.get_fignums() == figures
    assert dict(matplotlib.rcParams) == before


def test_colour_is_what_svg_of_replaces() -> None:
    assert {figures.colour(name) for name in COLOURS} == {colour.light for colour in COLOURS.values()}
    assert COLOURS["rank-2"].css in _plot()
    assert COLOURS["rank-2"].light not in _plot().replace(COLOURS["rank-2"].css, "")


def test_bars_are_pieces_of_thick_lines() -> None:
    panel = Panel(100, 50)
    panel.bars([(1.0, 2.0, 3.0, 10.0), (5.0, 2.0, 0.5, 10.0), (1.0, 20.0, 3.0, 10.0)], colour="rank-0", strength=0.5)
    assert 'd="M1 7h3m1 0h0.5M1 25h3" style="stroke-width:10;stroke-opacity:0.5"' in panel.svg()
    panel = Panel(100, 50)
    panel.bars([], colour="rank-0")
    assert "<path" not in panel.svg()
    with pytest.raises(ValueError, match="boxes must have one height, got 2"):
        panel.bars([(0, 0, 1, 1), (0, 0, 1, 2)], colour="rank-0")


@given(st.lists(st.floats(0.05, 4), min_size=1, max_size=60))
def test_bars_add_no_error_up(widths: list[float]) -> None:
    """Every bar of a long row starts and ends where it should, to a tenth of a pixel."""
    starts = [0.7 + sum(widths[:number]) + number for number in range(len(widths))]
    panel = Panel(1000, 20)
    panel.bars([(x, 0.0, w, 10.0) for x, w in zip(starts, widths, strict=True)], colour="rank-0")
    found = re.search(r' d="M([\d.]+) 5([^"]*)"', panel.svg())
    assert found
    place, ends = float(found[1]), []
    for step in re.findall(r"(?:m([-\d.]+) 0)?h([\d.]+)", found[2]):
        place += float(step[0] or 0) + float(step[1])
        ends.append(place)
    assert ends == pytest.approx([x + w for x, w in zip(starts, widths, strict=True)], abs=0.051)


def _paths(panel: Panel) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(panel.svg()).iter(f"{SVG}path"))


places = st.lists(st.tuples(st.floats(-500, 500), st.floats(-500, 500)), max_size=20)


@given(places, st.floats(0.1, 9), st.booleans())
def test_a_curve_goes_through_its_points(points: list[tuple[float, float]], width: float, dashed: bool) -> None:
    panel = Panel(100, 100)
    panel.curve(points, colour="rank-1", width=width, dashed=dashed)
    if len(points) < 2:
        assert _paths(panel) == []
        return
    (path,) = _paths(panel)
    corners = [tuple(float(part) for part in corner.split()) for corner in path.get("d", "")[1:].split("L")]
    assert len(corners) == len(points)
    for corner, point in zip(corners, points, strict=True):
        assert corner == pytest.approx(point, abs=0.0501)
    assert (path.get("class"), "stroke-dasharray" in path.attrib) == ("l-rank-1", dashed)
    assert float(path.get("style", "").removeprefix("stroke-width:")) == pytest.approx(width, abs=0.0501)
    assert f"var({COLOURS['rank-1'].css[4:-1]})" in _rules(panel.svg())[".l-rank-1"]


@given(places, st.floats(0.1, 9))
def test_dots_are_round_and_stand_at_their_points(points: list[tuple[float, float]], radius: float) -> None:
    panel = Panel(100, 100)
    panel.dots(points, colour="rank-1", radius=radius)
    if not points:
        assert _paths(panel) == []
        return
    (path,) = _paths(panel)
    assert re.sub(r"[-\d. ]+", "", path.get("d", "")) == "Mh" * len(points)
    found = re.findall(r"M([-\d.]+) ([-\d.]+)h0", path.get("d", ""))
    for dot, point in zip(found, points, strict=True):
        assert [float(part) for part in dot] == pytest.approx(point, abs=0.0501)
    style = dict(part.split(":") for part in path.get("style", "").split(";"))
    assert float(style["stroke-width"]) == pytest.approx(2 * radius, abs=0.0501)
    assert style["stroke-linecap"] == "round"


@pytest.mark.parametrize("given_", [[(1, 2), (3.5, 4)], ((1.0, 2.0), (3.5, 4.0)), [[1, 2], [3.5, 4]]])
def test_points_may_be_given_in_any_form_and_are_checked_in_each(given_: Any) -> None:
    straight, other = Panel(10, 10), Panel(10, 10)
    straight.curve([(1.0, 2.0), (3.5, 4.0)], colour="ink")
    other.curve(iter(given_), colour="ink")
    assert other.svg() == straight.svg()
    for bad, said in ((math.nan, "finite"), (2e6, "pixels"), (None, "finite"), ("4", "finite")):
        for points in ([(1.0, 2.0), (3.5, bad)], ((1.0, 2.0), (3.5, bad))):
            with pytest.raises(ValueError, match=rf"points\[1\]\[1\] must be .*{said}.*, got"):
                other.curve(points, colour="ink")  # type: ignore[arg-type]
    for short in ([(1.0,)], [(1.0, 2.0, 3.0)]):
        with pytest.raises(ValueError, match=r"points\[0\] must be x and y, got \(1.0"):
            other.dots(short, colour="ink")  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 4), st.floats(0.1, 9)), min_size=1, max_size=20))
def test_bars_and_rectangles_cover_the_same(blocks: list[tuple[int, int, float]]) -> None:
    boxes = [(float(x), 20.0 * row, width, 12.0) for x, row, width in sorted(blocks, key=lambda block: block[1::-1])]
    bars, rectangles = Panel(100, 100), Panel(100, 100)
    bars.bars(boxes, colour="forward")
    rectangles.rectangles(boxes, colour="forward")
    (path,), (outlines,) = _paths(bars), _paths(rectangles)
    assert "stroke-width:12" in path.get("style", "")
    covered, x, y = [], 0.0, 0.0
    for step, numbers in re.findall(r"([MmhZz])([-\d. ]*)", path.get("d", "")):
        parts = [float(part) for part in numbers.split()]
        if step == "h":
            covered.append((x, y - 6, parts[0], 12.0))
            x += parts[0]
        else:
            x, y = (parts[0], parts[1]) if step == "M" else (x + parts[0], y + parts[1])
    whole = re.findall(r"M([-\d.]+) ([-\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", outlines.get("d", ""))
    assert len(covered) == len(whole) == len(boxes)
    for bar, outline in zip(covered, whole, strict=True):
        assert bar == pytest.approx([float(part) for part in outline], abs=0.101)


def test_in_a_page_a_picture_is_the_same_and_hidden_from_screen_readers() -> None:
    assert in_page(_panel()).replace(' aria-hidden="true"', "") == _panel().svg()
    assert ElementTree.fromstring(in_page(_panel())).get("aria-hidden") == "true"


@pytest.mark.parametrize(("width", "wide"), [(350, False), (350.5, True), (680, True)])
def test_a_panel_wider_than_a_phone_is_marked_so_that_it_scrolls(width: float, wide: bool) -> None:
    root = ElementTree.fromstring(in_page(Panel(width, 10)))
    assert root.get("class", "").split() == ["panel", "wide"][: 1 + wide]


def test_a_narrow_form_is_marked_and_may_not_be_wide() -> None:
    assert ElementTree.fromstring(in_page(Panel(340, 10), narrow=True)).get("class") == "panel narrow"
    with pytest.raises(ValueError, match=r"panel must be at most 350 pixels wide to be narrow, got 360"):
        in_page(Panel(360, 10), narrow=True)


def test_a_text_like_markup_stays_text_in_a_page() -> None:
    panel = Panel(100, 20)
    panel.text(0, 10, '<style>x</style> xmlns="y" <g/>')
    (text,) = ElementTree.fromstring(in_page(panel)).iter(f"{SVG}text")
    assert text.text == '<style>x</style> xmlns="y" <g/>'
