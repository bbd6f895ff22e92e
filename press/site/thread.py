"""Puts what chapters say of the book's thread, the 70B on 256 GPUs, on the page that collects it.

A link alone on its line, to a chapter and titled ``collected: box``, stands for the chapter's section of that name:
its text, below a heading that leads to it. The page decides the order.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

from press.reading.chapter import Chapter
from press.reading.form import BOX
from press.reading.links import moved
from press.reading.markup import without_fences

_BOX = re.compile(rf"^## {re.escape(BOX)} *\n(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r'^\[[^\]]*\]\((?P<path>[^)\s]+) "collected: box"\) *$', re.MULTILINE)


def boxes_asked(text: str, page: str) -> list[str]:
    """Return the chapters whose boxes a page asks for, as paths from the root.

    >>> boxes_asked('[22](../chapters/memory/22-zero.md "collected: box")', "docs/the-70b.md")
    ['chapters/memory/22-zero.md']
    """
    return [_from_root(path, page) for path in _LINK.findall(text)]


def box_of(chapter: Chapter, page: str) -> str:
    """Return what a chapter says of the thread, below a heading, as a page takes it; nothing if it says nothing.

    Its cells are left out. The file's text is searched: reading 34 notebooks takes two seconds of each build.
    """
    found = _BOX.search(without_fences(chapter.text))
    if not found:
        return ""
    anchor = re.sub(r"\W+", "-", BOX.lower())
    address = f"{posixpath.relpath(chapter.name, posixpath.dirname(page))}#{anchor}"
    prose = re.sub(r"\n\s*\n", "\n\n", found["text"])
    plain = re.sub(r"^> ?(?:\[!\w+\])?", "", prose, flags=re.MULTILINE).strip()
    return f"### [{chapter.header['title']}]({address})\n\n{moved(plain, chapter.name, page)}"


def expand_boxes(text: str, page: str, boxes: Mapping[str, str], report: Callable[[str, str], None]) -> str:
    """Put each box in the place of the link that asks for it.

    Args:
        text: Markdown.
        page: where it stands.
        boxes: what ``box_of`` returned, by their chapters' paths.
        report: called with the link and a message where its chapter has no such section.
    """

    def told(match: re.Match[str]) -> str:
        if box := boxes.get(_from_root(match["path"], page)):
            return box
        report(match[0].strip(), f"{match['path']} has no section ## {BOX}")
        return ""

    return _LINK.sub(told, text)


def _from_root(path: str, page: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
