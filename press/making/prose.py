"""Turns the prose cells of a page into HTML, all at once: footnotes, link definitions and heading ids span cells.

The same Python-Markdown, with the site's own extensions, converts chapters and every other page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import markdown
from markdown.extensions.tables import TableProcessor
from markdown.inlinepatterns import InlineProcessor

from press.reading.markup import tangles
from press.reading.sources import NoSource, python_source

_INCLUDE = re.compile(r'^(?P<indent> *)\[[^\]]*\]\((?P<path>[^)\s]+) "include: (?P<name>\w+)"\) *$', re.MULTILINE)
_PLAIN_CODE = re.compile(r'<span class="(?:n|p|w|o|ow|mi|mf|nb|nn|sa|si|bp|fm|vm|nc)">([^<]*)</span>')
_CALLOUT = re.compile(r'(<p class="admonition-title">)[^<]*</p>\n<p><strong>((?:(?!</strong>).)*?)\.?</strong>\s')
_MARK = re.compile(r"(?:<p>)?<!--press-cell-(\d+)-->(?:</p>)?\n?")


class SiteMarkdown(markdown.Markdown):
    """The site's Markdown, which notes what it finds wrong: a piece of the source, and a message."""

    def __init__(self, extensions: Sequence[Any], configs: Mapping[str, Mapping[str, Any]]) -> None:
        self.findings: list[tuple[str, str]] = []
        super().__init__(
            extensions=list(extensions), extension_configs={key: dict(value) for key, value in configs.items()}
        )
        self.inlinePatterns.register(_Dollar(r"\\\$", self), "press-dollar", 190)  # before TeX, at 189.9
        undefined = r"(?<=\])\[(?P<name>[^\[\]]+)\]|\[\^(?P<note>[^\[\]\s]+)\]"
        self.inlinePatterns.register(
            _Undefined(undefined, self, self.findings), "press-undefined", 1
        )  # after all links
        if "table" in self.parser.blockprocessors:
            config = self.parser.blockprocessors["table"].config
            self.parser.blockprocessors.register(_Table(self.parser, config, self.findings), "table", 75)

    def reset(self) -> SiteMarkdown:
        """Forget the last document."""
        self.findings.clear()
        super().reset()
        return self


class _Dollar(InlineProcessor):
    """Keep an escaped dollar apart from one that TeX left over: it becomes an entity."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:
        return self.md.htmlStash.store("&#36;"), m.start(0), m.end(0)


class _Undefined(InlineProcessor):
    """Note the links and footnotes that nothing defines: the converter leaves them in the text."""

    def __init__(self, pattern: str, converter: markdown.Markdown, findings: list[tuple[str, str]]) -> None:
        super().__init__(pattern, converter)
        self._findings = findings

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[None, None, None]:
        what = f"the footnote {m['note']!r}" if m["note"] else f"the link {m['name']!r}"
        self._findings.append((m[0], f"nothing defines {what} (a bracket that is text is written \\[)"))
        return None, None, None


class _Table(TableProcessor):
    """Note the rows of tables from which cells would vanish, or in which a formula is cut in pieces."""

    def __init__(self, parser: Any, config: dict[str, Any], findings: list[tuple[str, str]]) -> None:
        super().__init__(parser, config)
        self._findings = findings

    def _build_row(self, row: str, parent: Any, align: Sequence[str | None]) -> None:
        cells = self._split_row(row)
        if any(len(re.findall(r"(?<!\\)\$", cell)) % 2 for cell in cells):
            message = "a | inside a formula cuts the table's cell: write \\lvert, \\rvert or \\mid"
            self._findings.append((row.strip(), message))
            row = row.replace("$", "&#36;")  # reported once, here
        elif len(cells) > len(align):
            message = f"the table's row has {len(cells)} cells, its head {len(align)}: the rest would vanish"
            self._findings.append((row.strip(), message))
        super()._build_row(row, parent, align)


@dataclass(frozen=True)
class Prose:
    """The converted prose of a page: the HTML of each cell, the headings as Python-Markdown's tokens.

    ``findings`` are pairs of a piece of the source and what is wrong with it.
    """

    cells: tuple[str, ...]
    headings: list[dict[str, Any]]
    findings: list[tuple[str, str]]


def calm_code(page: str) -> str:
    """Drop the highlighter's marks but for keywords, strings, comments, and names where they are defined.

    With them a long chapter's page would have 300 KB, 53 KB compressed.

    >>> calm_code('<span class="k">if</span> <span class="n">x</span> <span class="o">==</span> ring')
    '<span class="k">if</span> x == ring'
    """
    return _PLAIN_CODE.sub(r"\1", page)


def tidy(page: str) -> str:
    """Let the bold words that open a GitHub callout be its title, instead of "Important" and the like.

    >>> tidy('<p class="admonition-title">Tip</p>\\n<p><strong>Library shortcut.</strong> Call it.</p>')
    '<p class="admonition-title">Library shortcut</p>\\n<p>Call it.</p>'
    """
    return _CALLOUT.sub(r"\1\2</p>\n<p>", page)


def convert(converter: SiteMarkdown, sources: Sequence[str]) -> Prose:
    """Convert cells as one document; a source may be empty, where a code cell stands between two of prose."""
    joined = "".join(f"\n\n<!--press-cell-{number}-->\n\n{source}" for number, source in enumerate(sources))
    converter.reset()
    parts = _MARK.split(converter.convert(joined))
    cells = {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}
    findings = list(converter.findings)
    swallowed = [number for number in range(len(sources)) if number not in cells]
    if swallowed:
        before = sources[swallowed[0] - 1].strip()
        findings.append(
            (before.split("\n")[0], "something here swallows what follows: a tag or comment without an end")
        )
    headings = list(getattr(converter, "toc_tokens", []))
    return Prose(tuple(cells.get(number, "") for number in range(len(sources))), headings, findings)


def convert_fragment(converter: SiteMarkdown, source: str) -> tuple[str, list[str]]:
    """Convert a caption or another piece of Markdown that stands apart from the page's text; say what is wrong."""
    if messages := [message for _, message in tangles(source)]:
        return "", messages
    converter.reset()
    text = converter.convert(source).strip()
    single = text.startswith("<p>") and text.endswith("</p>") and text.count("<p>") == 1
    return text[3:-4] if single else text, [message for _, message in converter.findings]


def included_paths(text: str) -> list[str]:
    """Return the paths, as written, of the files whose code the text includes.

    >>> included_paths('[solution](../x/solution.py "include: ring")')
    ['../x/solution.py']
    """
    return [match["path"] for match in _INCLUDE.finditer(text)]


def expand_includes(text: str, folder: Path, root: Path, report: Callable[[str, str], None]) -> str:
    """Put the source of a function in the place of each link titled ``include: name`` that is alone on its line.

    In Jupyter and on GitHub the link leads to the file; on the site the reader sees the tested code itself.

    Args:
        text: Markdown.
        folder: what the links' paths are relative to.
        root: the book's folder; what lies outside of it is not shown.
        report: called with the link and a message where there is no such function to show.
    """

    def code(match: re.Match[str]) -> str:
        try:
            source = function_source(python_source(match["path"], folder, root), match["name"])
        except NoSource as error:
            report(match[0].strip(), f"the included file {match['path']} {error}")
            return match[0]
        if source is None:
            report(match[0].strip(), f"{match['path']} has no function or class {match['name']!r}")
            return match[0]
        lines = ["```python", *source.splitlines(), "```"]
        return "\n".join((match["indent"] + line).rstrip() for line in lines)

    return _INCLUDE.sub(code, text)


def function_source(module: str, name: str) -> str | None:
    """Return the source of the module's top-level function or class ``name`` with its decorators, or ``None``.

    >>> function_source("x = 1\\ndef f():\\n    return 2\\n", "f")
    'def f():\\n    return 2'
    """
    for node in ast.parse(module).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return "\n".join(module.splitlines()[first - 1 : node.end_lineno])
    return None
