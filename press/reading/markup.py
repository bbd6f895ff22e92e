"""Reads Markdown as far as it takes to tell prose from code and mathematics, before a converter sees it.

By this the press finds places in the source, and refuses what would send the converter astray or let text vanish: all
of it takes time in proportion to the text's length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown.util import BLOCK_LEVEL_ELEMENTS

from press.problems import line_of

# The converter's patterns take time with the square of a paragraph's length, or with the cube of what it has of these.
LONGEST_PARAGRAPH = 20_000
MOST_SIGNS = 1_000
DEEPEST_BRACKETS = 20
DEEPEST_BLOCKS = 20
DEEPEST_TAGS = 50
_SIGNS = {"[": re.compile(r"\["), "<": re.compile("<"), "`": re.compile("`+"), "\\(": re.compile(r"\\\(")}

_FENCE = re.compile(r"^(?:[ \t>]|[-*+] |\d+[.)] )*(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_OPENING = re.compile(r"<!--|(?<!\\)`+|(?<!\\)\$")
_MATH = re.compile(r"\$\$(?:\\.|[^$\\])+\$\$|\$(?!\s)(?:\\.|[^$\\])+(?<!\s)\$", re.DOTALL)
_DEPTH = re.compile(r"(?:[ \t]|>|[-*+](?=[ \t])|\d+[.)](?=[ \t]))*")
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]*)(?=[\s/>])(?P<rest>(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)(?P<end>>?)"
)
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_FOREIGN = {"svg", "math"}  # inside these, as in XML, any tag may close itself
_VOID = {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "base", "param"}
# The converter hands these, and what is in them, on as they are; other tags that have no end it shows as text.
_BLOCKS = frozenset(BLOCK_LEVEL_ELEMENTS)


@dataclass(frozen=True)
class Span:
    """A stretch of Markdown that is no prose: ``comment``, ``code`` or ``math``."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Finding:
    """Something that is refused: the number of the cell, the place in its text, and what is wrong."""

    cell: int
    position: int
    message: str


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with some stretches made of spaces, its lines where they were."""
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [text[end:start], re.sub(r"[^\n]", " ", text[start:stop])]
        end = stop
    return "".join([*pieces, text[end:]])


def without_fences(text: str) -> str:
    """Return the text with its fenced code made of spaces. A fence that is never closed is none.

    >>> without_fences("a\\n```sh\\n<b>\\n```\\nc")
    'a\\n     \\n   \\n   \\nc'
    """
    lines = list(_FENCE.finditer(text))
    closing: dict[str, list[int]] = defaultdict(list)
    for line in lines:
        if not line["info"].strip():
            closing[line["fence"]].append(line.end())
    blocks, end = [], -1
    for line in lines:
        if line.start() > end:
            ends = closing[line["fence"]]
            after = bisect_right(ends, line.end())
            if after < len(ends):
                end = ends[after]
                blocks.append((line.start(), end))
    return _blank(text, blocks)


def spans(text: str) -> Iterator[Span]:
    """Find the comments, the code and the mathematics of a text, each up to its end.

    A comment that is never closed reaches to the end of the text; so it does for the converter.
    """
    fenced = without_fences(text)
    position, ending = 0, -1
    while opening := _OPENING.search(fenced, position):
        start = opening.start()
        if opening[0] == "<!--":
            end = fenced.find("-->", opening.end())
            position = end + 3 if end >= 0 else len(fenced)
            yield Span("comment", start, position)
            continue
        if start >= ending:
            empty = _EMPTY_LINES.search(fenced, start)
            ending = empty.start() if empty else len(fenced)
        if opening[0] == "$":
            found = _MATH.match(fenced, start, ending)
            kind = "math"
        else:
            found = re.compile(rf"(?<!`){opening[0]}(?!`)").search(fenced, opening.end(), ending)
            kind = "code"
        position = found.end() if found else opening.end()
        if found:
            yield Span(kind, start, position)


def without(text: str, kinds: Collection[str]) -> str:
    """Return the text with fenced code, and spans of some kinds, made of spaces.

    >>> without("`a` $b$ <!-- c --> d", {"code", "math"})
    '        <!-- c --> d'
    """
    return _blank(without_fences(text), [(span.start, span.end) for span in spans(text) if span.kind in kinds])


def line_in_prose(text: str, piece: str) -> int:
    """Return the line on which a piece of prose stands, which may stand in code or in mathematics before.

    >>> line_in_prose("`a $` and\\n$x$ cost\\n5 $", "$")
    3
    """
    for searched in (without(text, {"code", "math"}), without(text, {"code"})):
        if piece in searched:
            return line_of(searched, piece)
    return line_of(text, piece)


def tangles(text: str) -> Iterator[tuple[int, str]]:
    """Find what a converter cannot be given, as place and message: paragraphs too long or nested too deep."""
    prose = without_fences(text)
    start = 0
    for empty in [*_EMPTY_LINES.finditer(prose), None]:
        end = empty.start() if empty else len(prose)
        if message := _tangled(prose[start:end].strip()):
            yield start, message
        start = empty.end() if empty else end
    for line in re.finditer(r"[^\n]+", prose):
        found = _DEPTH.match(line[0])
        depth = len(re.sub(r"[ \t]", "", re.sub(r"[\d.)]+", "-", found[0]))) if found else 0
        indent = len(line[0][: found.end()].expandtabs()) // 4 if found and line[0].strip() else 0
        if max(depth, indent) > DEEPEST_BLOCKS:
            yield (
                line.start(),
                f"quotes and lists are nested {max(depth, indent)} deep, at most {DEEPEST_BLOCKS} allowed",
            )
            return


def _tangled(paragraph: str) -> str:
    if len(paragraph) > LONGEST_PARAGRAPH:
        return f"a paragraph has {len(paragraph)} characters, at most {LONGEST_PARAGRAPH} are allowed"
    for sign, pattern in _SIGNS.items():
        count = len(pattern.findall(paragraph))
        if count > MOST_SIGNS:
            return f"a paragraph has {count} times {sign!r}, at most {MOST_SIGNS} are allowed"
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]]", paragraph):
        depth = depth + 1 if bracket == "[" else max(0, depth - 1)
        deepest = max(deepest, depth)
    if deepest > DEEPEST_BRACKETS:
        return f"brackets are nested {deepest} deep, at most {DEEPEST_BRACKETS} are allowed"
    return ""


def faults(cells: Sequence[str]) -> list[Finding]:
    """Find what would let text vanish or lead astray in the prose of a page, ``""`` where a cell has no prose.

    Comments, tags and equation labels: a tag that one cell opens another may close.
    """
    found: list[Finding] = []
    tags = _Tags(found)
    labels: set[str] = set()
    for number, text in enumerate(cells):
        kinds = list(spans(text))
        found += _faults_of_comments(number, text, [span for span in kinds if span.kind == "comment"])
        found += _repeated_labels(number, text, [span for span in kinds if span.kind == "math"], labels)
        tags.read(number, _blank(without_fences(text), [(span.start, span.end) for span in kinds]))
    tags.end()
    return found


def _faults_of_comments(cell: int, text: str, comments: Iterable[Span]) -> Iterator[Finding]:
    for comment in comments:
        written = text[comment.start : comment.end]
        if not written.endswith("-->") or len(written) < len("<!---->"):
            yield Finding(cell, comment.start, "the comment that begins here is never closed by -->")
        elif written.startswith("<!--press-"):
            yield Finding(cell, comment.start, f"comments that begin with press- are the build's own: {written[:40]}")


def _repeated_labels(cell: int, text: str, formulas: Iterable[Span], seen: set[str]) -> Iterator[Finding]:
    for formula in formulas:
        for label in _LABEL.finditer(text, formula.start, formula.end):
            if label[1] in seen:
                message = f"another equation of this page is labelled {label[1]!r} already"
                yield Finding(cell, label.start(), message)
            seen.add(label[1])


class _Tags:
    """Reads the tags of a page's cells in order, and collects those that are not closed or close nothing."""

    def __init__(self, found: list[Finding]) -> None:
        self._found = found
        self._open: list[tuple[str, int, int]] = []

    def read(self, cell: int, prose: str) -> None:
        for tag in _TAG.finditer(prose):
            name = tag["name"].lower()
            if not tag["end"]:
                if name in _BLOCKS:
                    self._report(cell, tag.start(), f"the tag <{name} that begins here has no >")
            elif tag["close"]:
                self._close(name, cell, tag.start())
            elif name not in _VOID and not (tag["rest"].endswith("/") and self._is_foreign(name)):
                self._open.append((name, cell, tag.start()))
                if len(self._open) == DEEPEST_TAGS + 1:
                    self._report(cell, tag.start(), f"tags are nested more than {DEEPEST_TAGS} deep")

    def end(self) -> None:
        """Report what is still open."""
        for name, cell, position in self._open:
            self._never_closed(name, cell, position)

    def _close(self, name: str, cell: int, position: int) -> None:
        opened = next((place for place in reversed(range(len(self._open))) if self._open[place][0] == name), None)
        if opened is None:
            self._report(cell, position, f"</{name}> closes no tag")
            return
        for forgotten in self._open[opened + 1 :]:
            self._never_closed(*forgotten)
        del self._open[opened:]

    def _is_foreign(self, name: str) -> bool:
        return name in _FOREIGN or any(outer in _FOREIGN for outer, _, _ in self._open)

    def _never_closed(self, name: str, cell: int, position: int) -> None:
        self._report(cell, position, f"the tag <{name}> is never closed (a < that opens no tag is written &lt;)")

    def _report(self, cell: int, position: int, message: str) -> None:
        self._found.append(Finding(cell, position, message))
