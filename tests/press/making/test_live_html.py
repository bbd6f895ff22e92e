"""The HTML of live figures: labels and values escaped, a label for every control, numbering that goes on."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from small_book import SmallBook

from press.making.live import live_html
from snippets.drawing import Panel
from snippets.foundations.alpha_beta.live import message_time
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, Switch

NASTY = "a<b> & \"c\" 'd'"


@live_figure(
    title=f"Sizes {NASTY}",
    caption="Look at $n_{1/2}$.",
    knobs=[
        Number("size_bytes", f"Size n_max {NASTY}", 1e6, 1e3, 1e9, 10, "log", "B", play=True),
        Number("ranks", "Ranks p_0, of β_bw", 8, 1, 16),
        Choice("order", "Order <o>", {"a": "A < B", "b&": NASTY}, "b&"),
        Switch("full", "Both & more", True),
        Switch("hidden", "Not now", False),
    ],
    named=[Named(f"Call {NASTY}", f"Is it {NASTY}?", {"order": "a", "size_bytes": 1e9})],
)
def sizes(*, size_bytes: int, ranks: int, order: str, full: bool, hidden: bool) -> Picture:
    """Draw nothing but a text."""
    panel = Panel(200, 20)
    panel.text(0, 12, NASTY)
    return Picture([panel], f"It is {NASTY}.", f"Seen: {NASTY}.", {"ranks": 12.0}, ["hidden", "order"])


def described() -> dict[str, Any]:
    return json.loads(json.dumps(sizes.described()))


def page(**changes: Any) -> Tag:
    """Return the figure's element, read as a browser would."""
    description = {**described(), **changes}
    addresses = {"code_url": 'https://example.org/?a=1&b="2"', "alone_url": "../../live/sizes/"}
    text = live_html(description, number=7, caption="C", **addresses)
    (figure,) = BeautifulSoup(text, "html.parser").find_all("figure")
    assert isinstance(figure, Tag)
    return figure


def one(figure: Tag, selector: str) -> Tag:
    (found,) = figure.select(selector)
    return found


def test_texts_come_through_as_they_were_written() -> None:
    figure = page()
    assert one(figure, ".panels")["aria-label"] == f"Seen: {NASTY}."
    assert one(figure, ".live-numbers").get_text() == f"It is {NASTY}."
    assert one(figure, ".panels text").get_text() == NASTY
    assert one(figure, "form")["aria-label"] == f"Settings of figure 7: Sizes {NASTY}"
    assert one(figure, ".live-code")["href"] == 'https://example.org/?a=1&b="2"'
    assert [option.get_text() for option in figure.select("option")] == ["A < B", NASTY]
    assert [option["value"] for option in figure.select("option")] == ["a", "b&"]
    assert not figure.select("b, o, a b")


def test_labels_have_subscripts_and_are_escaped() -> None:
    labels = page().select("label")
    assert labels[0].decode_contents() == "Size n<sub>max</sub> a&lt;b&gt; &amp; \"c\" 'd'"
    assert [sub.get_text() for label in labels for sub in label.select("sub")] == ["max", "0", "bw"]
    assert labels[1].get_text() == "Ranks p0, of βbw"
    typed = one(page(), "input[name=size_bytes]")
    assert typed["aria-label"] == f"Size n_max {NASTY}, typed"


def test_every_control_has_a_label() -> None:
    figure = page()
    controls = figure.select("input, select")
    assert len(controls) == 7
    for control in controls:
        own = control.get("aria-label") or control.find_parent("label")
        assert own or figure.select(f'label[for="{control.get("id")}"]'), control
    for button in figure.select("button"):
        assert button.get_text().strip()
    ids = [str(element["id"]) for element in figure.select("[id]")]
    assert len(ids) == len(set(ids))
    assert all(name.startswith(("figure-7", "k7-", "live-note-7")) for name in ids)


def test_idle_knobs_are_hidden_and_no_others() -> None:
    hidden = {one(knob, "[name]")["name"] for knob in page().select(".knob[hidden]")}
    assert hidden == {"order", "hidden"}
    drawn = copy.deepcopy(described()["drawn"])
    drawn["idle"] = []
    assert not page(drawn=drawn).select("[hidden]")


def test_controls_stand_at_the_defaults() -> None:
    figure = page()
    size, ranks = one(figure, "[data-knob=size_bytes]"), one(figure, "[data-knob=ranks]")
    assert (size["max"], size["value"], size["aria-valuetext"]) == ("6", "3", "1 MB")
    assert (ranks["max"], ranks["value"], ranks["aria-valuetext"]) == ("11", "7", "8")  # limited to 12
    assert [one(figure, f"input[name={name}]")["value"] for name in ("size_bytes", "ranks")] == ["1 MB", "8"]
    assert [option["value"] for option in figure.select("option[selected]")] == ["b&"]
    assert [box["name"] for box in figure.select("[type=checkbox][checked]")] == ["full"]
    assert [play.parent and one(play.parent, "[data-knob]")["data-knob"] for play in figure.select(".play")] == [
        "size_bytes"
    ]


def test_a_slider_has_the_text_of_each_stop_and_a_choice_its_options_in_their_order() -> None:
    figure = page()
    assert str(one(figure, "[data-knob=size_bytes]")["data-stops"]).split("|") == [
        "1 kB",
        "10 kB",
        "100 kB",
        "1 MB",
        "10 MB",
        "100 MB",
        "1 GB",
    ]
    assert str(one(figure, "[data-knob=ranks]")["data-stops"]).split("|") == [str(rank) for rank in range(1, 17)]
    sorted_keys = json.loads(json.dumps(described(), sort_keys=True))  # as a notebook is saved
    assert [option["value"] for option in page(knobs=sorted_keys["knobs"]).select("option")] == ["a", "b&"]


def test_a_named_setting_is_a_button_with_its_settings_and_what_to_notice() -> None:
    button = one(page(), "button.named")
    assert button.get_text() == f"Call {NASTY}"
    assert button["data-notice"] == f"Is it {NASTY}?"
    assert json.loads(str(button["data-settings"])) == {"order": "a", "size_bytes": "1000000000"}


def test_a_figure_says_at_once_what_the_setting_shows_at_which_it_opens() -> None:
    assert one(page(), ".live-notice").get_text() == ""
    assert not one(page(), "button.named").has_attr("aria-pressed")
    opened = page(opens=f"Call {NASTY}")
    assert one(opened, ".live-notice").get_text() == f"Is it {NASTY}?"
    assert one(opened, "button.named")["aria-pressed"] == "true"


def test_what_is_said_of_a_setting_stands_above_its_knobs() -> None:
    parts = [" ".join(child.get_attribute_list("class")) or child.name for child in page().select("figure > *")]
    assert parts == ["live-status", "knobs", "panels", "live-tools", "figcaption"]


LIVE = """

```python tags=["remove-input"]
from snippets.figures import show_live
from snippets.foundations.alpha_beta.live import message_time

show_live(message_time)
```

```python tags=["remove-input"]
show(panel, alt="Again", caption="The same block.")
```
"""


@pytest.fixture(scope="module")
def chapter(whole_book: SmallBook, tmp_path_factory: pytest.TempPathFactory) -> tuple[BeautifulSoup, SmallBook]:
    """The first chapter of the small book, built with a live figure between two others."""
    book = whole_book.copied(tmp_path_factory.mktemp("live") / "book")
    text = book.read("chapters/part/01-one.md")
    book.write("chapters/part/01-one.md", text.replace("\n## Exercises", LIVE + "\n## Exercises"))
    done = book.build()
    assert done.returncode == 0, done.stderr
    return BeautifulSoup((book.root / "site/part/01-one/index.html").read_text(encoding="utf-8"), "html.parser"), book


@pytest.mark.book
def test_a_cell_that_shows_a_live_figure_becomes_one(chapter: tuple[BeautifulSoup, SmallBook]) -> None:
    figure, drawn = one(chapter[0], "figure.live"), message_time.drawn(message_time.opens_at())
    assert one(figure, ".live-numbers").get_text() == drawn.numbers
    assert one(figure, ".panels")["aria-label"] == drawn.alt
    assert one(figure, ".panels").decode_contents(formatter="minimal").count("<svg") == len(drawn.svgs)
    assert "".join(drawn.svgs) in (chapter[1].root / "site/part/01-one/index.html").read_text(encoding="utf-8")
    assert (figure["data-module"], figure["data-name"]) == ("snippets.foundations.alpha_beta.live", "message_time")
    names = [knob.name for knob in message_time.knobs]
    assert [control["name"] for control in figure.select("[name]")] == names


@pytest.mark.book
def test_its_caption_is_typeset(chapter: tuple[BeautifulSoup, SmallBook]) -> None:
    caption = one(chapter[0], "figure.live figcaption")
    assert caption.get_text().startswith("Figure 2, live. " + message_time.caption.partition("$")[0].strip())
    assert len(caption.select("math")) == message_time.caption.count("$") // 2 > 0
    assert "$" not in caption.get_text()


@pytest.mark.book
def test_numbering_goes_on_with_the_other_figures(chapter: tuple[BeautifulSoup, SmallBook]) -> None:
    figures = chapter[0].select("figure.book-figure")
    assert [figure["id"] for figure in figures] == ["figure-1", "figure-2", "figure-3"]
    starts = [one(figure, "figcaption strong").get_text() for figure in figures]
    assert starts == ["Figure 1.", "Figure 2, live.", "Figure 3."]
    assert [len(figure.select(".panels svg")) for figure in figures] == [1, 2, 1]  # no picture is shown twice


@pytest.mark.book
def test_its_code_is_a_file_beside_the_page(chapter: tuple[BeautifulSoup, SmallBook]) -> None:
    page, book = chapter
    code = BeautifulSoup(
        (book.root / "site/part/01-one/message_time-code.html").read_text(encoding="utf-8"), "html.parser"
    )
    assert code.get_text().strip() == message_time.described()["code"].strip()
    link = one(page, "figure.live .live-code")["href"]
    assert link == "message_time-code.html"  # this book has no repository, so a reader without scripts gets the same


@pytest.mark.book
def test_the_notebook_shows_the_picture_and_how_to_set_it(chapter: tuple[BeautifulSoup, SmallBook]) -> None:
    cells = json.loads((chapter[1].root / "site/part/01-one/01-one.ipynb").read_text(encoding="utf-8"))["cells"]
    (cell,) = [cell for cell in cells if "show_live(message_time)" in "".join(cell["source"])]
    *panels, words = cell["outputs"]
    shown = ["".join(output["data"]["image/svg+xml"]) for output in panels]
    assert message_time.opening
    opening = message_time.opening.values
    assert shown == [panel._repr_svg_() for panel in message_time(**opening).panels]
    markdown = "".join(words["data"]["text/markdown"])
    assert message_time(**opening).numbers in markdown
    assert "message_time(size_bytes=1000000000.0, messages=1000, latency_s=0.001, " in markdown
