"""Takes in what cells show: refuses what no page can hold, and cuts out what differs from run to run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from press.reading.chapter import says_something

CELL_LIMIT_BYTES = 2_000_000
CHAPTER_LIMIT_BYTES = 10_000_000

_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\n\r])", re.MULTILINE)
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]{6,}")
# It begins where a word does: tried at every character, it would take time with the square of a long word.
_CELL_FILE = re.compile(r"(?<![^\s\"'(])[^\s\"'(]*[/\\]ipykernel_\d+[/\\]\d+\.py")
_KINDS = ("text/", "image/")
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")  # all but \t, \n, \r and colours' \x1b


def size_bytes(value: Any) -> int:
    """Return about how many bytes an output takes in a page: the texts in it.

    >>> size_bytes({"data": {"text/plain": "12", "text/html": ["345", "6"]}, "transient": {}})
    6
    """
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return sum(size_bytes(item) for item in items)


def cleaned(outputs: Sequence[Any], root: Path) -> list[Any]:
    """Join neighbouring pieces of the same stream, stdout first, and cut out what differs from run to run."""
    kept: list[Any] = []
    streams: dict[str, list[Any]] = {}
    for output in outputs:
        if output["output_type"] != "stream":
            streams = {}
            kept.append(output)
        elif output["name"] in streams:
            streams[output["name"]].append(output["text"])
        else:
            before_stderr = output["name"] == "stdout" and "stderr" in streams
            streams[output["name"]] = [output["text"]]
            output["text"] = streams[output["name"]]
            kept.insert(len(kept) - before_stderr, output)
    for output in kept:
        if output["output_type"] == "stream":
            output["text"] = "".join(output["text"])
        for holder, key in ((output, "text"), (output, "evalue"), (output.get("data", {}), "text/plain")):
            if key in holder:
                holder[key] = without_noise(_OVERWRITTEN.sub("", holder[key]), root)
        if "traceback" in output:
            output["traceback"] = [without_noise(line, root) for line in output["traceback"]]
    return kept


def without_noise(text: str, root: Path) -> str:
    """Return an output's text without addresses of objects and without paths of this machine.

    >>> without_noise("<Line at 0x7f3a5c0012d0> /home/me/book/snippets/ring.py:3", Path("/home/me/book"))
    '<Line at 0x…> snippets/ring.py:3'
    """
    text = _CELL_FILE.sub("<cell>", _ADDRESS.sub("0x…", text))
    for folder in (str(root), re.sub(rf"^{re.escape(str(Path.home()))}(?=[/\\])", "~", str(root))):
        text = text.replace(folder + os.sep, "")
    return text


_LIVE = {"name", "module", "title", "code", "knobs", "named", "drawn", "near"}


def output_findings(outputs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Find what in a cell's outputs is not what it says: data of another type, figures that the book did not show."""
    panels = 0
    for output in outputs:
        data = output.get("data", {})
        for kind, content in data.items():
            if kind.startswith(_KINDS) and not isinstance(content, str):
                yield f"shows {kind} that is no text but of type {type(content).__name__}"
        shown = [output.get("text"), *(content for kind, content in data.items() if kind.startswith(_KINDS))]
        for text in shown:
            if isinstance(text, str) and (sign := _NO_TEXT.search(text)):
                yield f"shows the control character {sign[0]!r}, which no page can hold"
        book = output.get("metadata", {}).get("book")
        role = book.get("role") if isinstance(book, Mapping) else None
        if book is not None and (wrong := _not_the_books(role, book, data, panels)):
            use = "show and show_live of snippets.figures, guess and answer of snippets.questions"
            yield f"shows an output that says it is the book's ({wrong}): use {use}"
        panels = 0 if role == "caption" else panels + (role == "panel")


def _not_the_books(role: Any, book: Any, data: Mapping[str, Any], panels: int) -> str:
    """Return what an output under the book's name lacks, ``""`` if it lacks nothing."""
    if role == "panel":
        alt = book.get("alt")
        lacks_alt = not (isinstance(alt, str) and says_something(alt))
        return "a panel without alt text" if lacks_alt else "" if _is_svg(data) else "a panel without a picture"
    if role == "live-panel":
        return "" if _is_svg(data) else "a panel without a picture"
    if role == "caption":
        return "" if panels and "text/markdown" in data else "a caption without a figure before it or without a text"
    if role == "live":
        figure, caption = book.get("figure"), book.get("caption")
        whole = isinstance(figure, Mapping) and figure.keys() >= _LIVE
        return "" if whole and isinstance(caption, str) else "a live figure without its description"
    if role == "guess":
        whole = isinstance(book.get("options"), list) and _texts(book.get("asked"), book.get("unit"), *book["options"])
        return "" if whole else "a guess without what is asked"
    if role == "answer":
        rows = book.get("rows")
        whole = isinstance(rows, list) and all(isinstance(row, list) and len(row) == 2 and _texts(*row) for row in rows)
        said = _texts(book.get("unit"), book.get("right")) and isinstance(book.get("number"), int | float | None)
        return "" if whole and said else "an answer without its rows"
    return f"its role is {role!r}" if isinstance(book, Mapping) else f"its description is {book!r}"


def _texts(*values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_svg(data: Mapping[str, Any]) -> bool:
    picture = data.get("image/svg+xml")
    return isinstance(picture, str) and bool(re.search("<svg[^>]*>", picture))
