"""What is taken in of what cells show: cleaned in time that grows with its length, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from press.running.outputs import cleaned, output_findings

PANEL = {"role": "panel", "alt": "a line"}
SVG = {"image/svg+xml": '<svg width="1"></svg>', "text/plain": "a line"}


def displayed(data: Any, book: Any = None) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {} if book is None else {"book": book}}


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,  # each of these took hours when every character was tried as a beginning
        "[" + "0.125," * 150_000 + "]",
        "/ipykernel_1/" * 70_000,
        "/ipykernel_" + "1" * 900_000,
        "0x" + "f" * 900_000,
    ],
)
def test_a_long_line_stays_as_it_is(text: str) -> None:
    (output,) = cleaned([printed(text)], Path("/book"))
    assert output["text"] == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("10 %\r20 %\rdone\n", "done\n"),
        ("a\rb\r\nc\r", "b\r\nc\r"),
        ("a\r\r b", " b"),
        ("one\ntwo\rthree\n", "one\nthree\n"),
        ("File /tmp/ipykernel_12/345.py, ('/x/ipykernel_1/2.py')", "File <cell>, ('<cell>')"),
        ("a=/ipykernel_1/2.py:3", "<cell>:3"),
        (r'"C:\Temp\ipykernel_12\345.py"', '"<cell>"'),
    ],
)
def test_what_differs_from_run_to_run_is_cut_out(text: str, clean: str) -> None:
    (output,) = cleaned([printed(text)], Path("/book"))
    assert output["text"] == clean


GUESS = {"role": "guess", "asked": "x", "unit": "", "options": ["a", "b"]}
ANSWER = {"role": "answer", "rows": [["a", "1 s"]], "unit": "s", "right": "", "number": 1.0}


def test_many_pieces_of_a_stream_become_one() -> None:
    pieces = [printed("a"), printed("x", "stderr"), printed("b"), displayed({}), printed("c")]
    assert [output.get("text") for output in cleaned(pieces, Path("/book"))] == ["ab", "x", None, "c"]


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([displayed(SVG, 5)], "its description is 5"),
        ([displayed(SVG, "panel")], "its description is 'panel'"),
        ([displayed(SVG, {"role": "pane"})], "its role is 'pane'"),
        ([displayed(SVG, {})], "its role is None"),
        ([displayed(SVG, {"role": ["panel"]})], "its role is ['panel']"),
        ([displayed(SVG, {"role": "panel"})], "a panel without alt text"),
        ([displayed(SVG, {"role": "panel", "alt": " "})], "a panel without alt text"),
        ([displayed(SVG, {"role": "panel", "alt": 3})], "a panel without alt text"),
        ([displayed({"text/plain": "x"}, PANEL)], "a panel without a picture"),
        ([displayed({"image/svg+xml": "no picture"}, PANEL)], "a panel without a picture"),
        ([displayed({"text/markdown": "x"}, {"role": "caption"})], "a caption without a figure"),
        ([displayed(SVG, PANEL), displayed({}, {"role": "caption"})], "a caption without a figure before it or"),
        ([displayed({}, {"role": "live"})], "a live figure without its description"),
        ([displayed({}, {"role": "live", "figure": {"name": "x"}, "caption": "x"})], "without its description"),
        ([displayed({}, {**GUESS, "options": None})], "a guess without what is asked"),
        (
            [displayed({}, {**GUESS, "options": [3]})],
            "a guess without what is asked",
        ),
        ([displayed({}, {"role": "answer", "rows": [], "unit": "s"})], "an answer without its rows"),
        ([displayed({}, {**ANSWER, "rows": [["a"]]})], "an answer without its rows"),
        ([displayed({}, {**ANSWER, "number": "3"})], "an answer without its rows"),
        ([displayed({"text/html": 5})], "text/html that is no text but of type int"),
        ([displayed({"image/png": {"a": "b"}})], "image/png that is no text but of type dict"),
    ],
)
def test_an_output_that_pretends_is_refused(outputs: list[Any], message: str) -> None:
    (found,) = output_findings(outputs)
    assert message in found


def test_the_books_own_outputs_are_accepted() -> None:
    caption = displayed({"text/markdown": "x", "text/plain": "x"}, {"role": "caption"})
    outputs = [displayed(SVG, PANEL), displayed(SVG, PANEL), printed("late"), caption, displayed({"text/plain": "x"})]
    outputs += [displayed({}, GUESS), displayed({}, ANSWER)]
    assert list(output_findings([*outputs, displayed({"application/json": {"a": 1}})])) == []


@pytest.mark.parametrize("sign", ["\0", "\x01", "\x08", "\x0c", "\x1f", "\uffff"])
@pytest.mark.parametrize("kind", ["stream", "text/plain", "text/html", "text/markdown", "image/svg+xml"])
def test_a_control_character_is_refused(sign: str, kind: str) -> None:
    text = f"a{sign}b"
    output = printed(text) if kind == "stream" else displayed({kind: text})
    (message,) = output_findings([output])
    assert message == f"shows the control character {sign!r}, which no page can hold"


def test_lines_tabs_and_colours_are_text() -> None:
    assert list(output_findings([printed("a\tb\r\nc \x1b[31mred\x1b[0m \u00a0 \u202f")])) == []


@pytest.mark.parametrize("alt", ["", "\u200b \u00a0", " \n"])
def test_a_panel_whose_alt_text_nobody_can_see_has_none(alt: str) -> None:
    (message,) = output_findings([displayed(SVG, {"role": "panel", "alt": alt})])
    assert "a panel without alt text" in message
