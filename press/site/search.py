"""Makes the site's search: Pagefind indexes the finished pages; what it wrote is kept until a page changes.

The index is in pieces, of which a reader's browser asks for those that a query needs; a page that nobody searches from
asks for none. Beside it lie the book's words, for queries with a slip of the finger. ``docs/javascripts/search.js``
shows what is found.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from press.site.version import undated

FOLDER = "search"
PAGES = "**/index.html"
LEFT_OUT = (
    "svg",
    ".headerlink",
    ".chapter-tools",
    ".cite",
    ".knobs",
    ".live-tools",
    ".jp-OutputArea",
    ".exercise-board",
)
WORDS = "words.json"
_NAMES = "references"  # the bibliography
_SHORTEST, _LONGEST = 5, 24  # letters of a word in which a slip is mended
_COMMON_PAGES = 3  # of a word that a slip may have meant
# What a page's words weigh beside those of a chapter, by the first folder of its address. Other pages weigh a half.
_WEIGHTS = {
    "references": 0.2,
    **dict.fromkeys(("command-line", "conventions", "exam", "for-teachers", "labs", "planner", "reference"), 0.3),
}
_OTHER_WEIGHT = 0.5
_NOT_TEXT = re.compile(r"<(script|style|svg|math)\b.*?</\1>|<[^>]+>", re.DOTALL)
_WORD = re.compile(rf"[a-z][a-z0-9]{{{_SHORTEST - 1},{_LONGEST - 1}}}")
_UNUSED = ("*ui*.js", "*ui*.css", "*highlight*.js")  # Pagefind's own ways of showing what is found


def searchable(page: str, url: str, *, chapter: bool = False, also: str = "") -> str:
    """Return a page's HTML with what the search is to know of it.

    Args:
        page: the page, with one ``<article …>``.
        url: its address in the site, ``collectives/13-ring-and-tree/``.
        chapter: whether it is a chapter, which is found before other pages.
        also: other names by which it is found.
    """
    weight = "" if chapter else f' data-pagefind-weight="{_WEIGHTS.get(url.partition("/")[0], _OTHER_WEIGHT)}"'
    names = f'<p hidden data-pagefind-meta="also">{html.escape(also)}</p>' if also else ""
    return page.replace("<article ", f"<article{weight} ", 1).replace("</article>", f"{names}</article>", 1)


def write_search(
    site: Path, kept: Path, *, may_be_old: bool = False, report: Callable[[str], None] = lambda _: None
) -> None:
    """Write the index of a built site into its folder ``search``.

    Args:
        site: the folder of the built site.
        kept: where indexes are kept; the last one alone stays.
        may_be_old: whether the last index will do, though pages have changed since it was made.
        report: called with a line of progress if an index has to be made.

    Raises:
        RuntimeError: Pagefind failed, with what it said.
    """
    last = next(kept.glob("*"), None) if may_be_old else None
    index = kept / _digest(site)
    with suppress(OSError, shutil.Error):  # there is none, or another build has just swept it away
        shutil.copytree(last or index, site / FOLDER, dirs_exist_ok=True)
        return
    report("makes the search's index")
    begun = kept.with_name(f"{kept.name}-{os.getpid()}")  # another build may make the same
    _run_pagefind(site, begun)
    (begun / WORDS).write_text(json.dumps(_words(site)), encoding="utf-8")
    for pattern in _UNUSED:
        for file in begun.glob(pattern):
            file.unlink()
    shutil.copytree(begun, site / FOLDER, dirs_exist_ok=True)
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        begun.rename(index)
    shutil.rmtree(begun, ignore_errors=True)


def _digest(site: Path) -> str:
    total = sha256(version("pagefind").encode() + Path(__file__).read_bytes())
    for page in sorted(site.glob(PAGES)):
        total.update(page.relative_to(site).as_posix().encode() + b"\0" + sha256(undated(page.read_bytes())).digest())
    return total.hexdigest()[:40]


def _words(site: Path) -> dict[str, list[str]]:
    """Return the words of the site's pages: common ones, those of most pages first, and rare ones.

    Names of authors, of which the bibliography has hundreds, are left out: none is mended, but for one that is a letter
    away from a common word.
    """
    pages: Counter[str] = Counter()
    for path in site.glob(PAGES):
        if path.parent.name != _NAMES:
            article = path.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
            pages.update(set(_WORD.findall(html.unescape(_NOT_TEXT.sub(" ", f"<article{article}")).lower())))
    common = sorted((word for word in pages if pages[word] >= _COMMON_PAGES), key=lambda word: (-pages[word], word))
    return {"common": common, "rare": sorted(word for word in pages if pages[word] < _COMMON_PAGES)}


def _run_pagefind(site: Path, output: Path) -> None:
    command = [sys.executable, "-m", "pagefind", "--site", str(site), "--output-path", str(output), "--glob", PAGES]
    command += ["--root-selector", "article", "--exclude-selectors", ", ".join(LEFT_OUT), "--force-language", "en"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pagefind failed:\n{done.stdout}")
