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
from markdown.inlinepatterns import InlineProcessor

_INCLUDE = re.compile(r'^(?P<indent> *)\[[^\]]*\]\((?P<path>[^)\s]+) "include: (?P<name>\w+)"\) *$', re.MULTILINE)
_PLAIN_CODE = re.compile(r'<span class="(?:n|p|w|o|ow|mi|mf|nb|nn|sa|si|bp|fm|vm|nc)">([^<]*)</span>')
_CALLOUT = re.compile(r'(<p class="admonition-title">)[^<]*</p>\n<p><strong>((?:(?!</strong>).)*?)\.?</strong>\s')
_MARK = re.compile(r"(?:<p>)?<!--press-cell-(\d+)-->(?:</p>)?\n?")


class _Dollar(InlineProcessor):
    """Keep an escaped dollar apart from one that TeX left over: it becomes an entity."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:
        return self.md.htmlStash.store("&#36;"), m.start(0), m.end(0)


def site_markdown(extensions: Sequence[Any], configs: Mapping[str, Mapping[str, Any]]) -> markdown.Markdown:
    """Return the Markdown converter of the site, with its extensions."""
    converter = markdown.Markdown(
        extensions=list(extensions), extension_configs={key: dict(value) for key, value in configs.items()}
    )
    converter.inlinePatterns.register(_Dollar(r"\\\$", converter), "press-dollar", 190)  # before TeX, at 189.9
    return converter


@dataclass(frozen=True)
class Prose:
    """The converted prose of a page: the HTML of each cell, the headings as Python-Markdown's tokens."""

    cells: tuple[str, ...]
    headings: list[dict[str, Any]]


def lean(page: str) -> str:
    """Drop the highlighter's marks but for keywords, strings, comments, and names where they are defined.

    Code so marked is calmer to read, and a chapter's page a sixth lighter.

    >>> lean('<span class="k">if</span> <span class="n">x</span> <span class="o">==</span> <span class="s2">"a"</span>')
    '<span class="k">if</span> x == <span class="s2">"a"</span>'
    """
    plain = _PLAIN_CODE.sub(r"\1", page)
    plain = re.sub(r'</span><span class="s2">|<span></span>(?=<code>)', "", plain)
    return re.sub(r'<span class="s2">([^<"]{1,9})</span>(?=\})', r"\1", plain)  # a format's letters are not text


def tidy(page: str) -> str:
    """Let the bold words that open a GitHub callout be its title, instead of "Important" and the like.

    >>> tidy('<p class="admonition-title">Tip</p>\\n<p><strong>Library shortcut.</strong> Call it.</p>')
    '<p class="admonition-title">Library shortcut</p>\\n<p>Call it.</p>'
    """
    return _CALLOUT.sub(r"\1\2</p>\n<p>", page)


def convert(converter: markdown.Markdown, sources: Sequence[str]) -> Prose:
    """Convert cells as one document; a source may be empty, where a code cell stands between two of prose."""
    joined = "".join(f"\n\n<!--press-cell-{number}-->\n\n{source}" for number, source in enumerate(sources))
    converter.reset()
    parts = _MARK.split(converter.convert(joined))
    cells = {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}
    return Prose(tuple(cells[number] for number in range(len(sources))), list(getattr(converter, "toc_tokens", [])))


def convert_fragment(converter: markdown.Markdown, source: str) -> str:
    """Convert a caption or another piece of Markdown that stands apart from the page's text."""
    converter.reset()
    text = converter.convert(source).strip()
    single = text.startswith("<p>") and text.endswith("</p>") and text.count("<p>") == 1
    return text[3:-4] if single else text


def included_paths(text: str) -> list[str]:
    """Return the paths, as written, of the files whose code the text includes.

    >>> included_paths('[solution](../x/solution.py "include: ring")')
    ['../x/solution.py']
    """
    return [match["path"] for match in _INCLUDE.finditer(text)]


def expand_includes(text: str, folder: Path, report: Callable[[str, str], None]) -> str:
    """Put the source of a function in the place of each link titled ``include: name`` that is alone on its line.

    In Jupyter and on GitHub the link leads to the file; on the site the reader sees the tested code itself.

    Args:
        text: Markdown.
        folder: what the links' paths are relative to.
        report: called with the link and a message where the file or the function does not exist.
    """

    def code(match: re.Match[str]) -> str:
        path = folder / match["path"]
        if not path.is_file():
            report(match[0].strip(), f"the included file {match['path']} does not exist")
            return match[0]
        source = function_source(path.read_text(encoding="utf-8"), match["name"])
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
