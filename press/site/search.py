"""Makes the site's search: Pagefind indexes the finished pages; what it wrote is kept until a page changes.

The index is in pieces, of which a reader's browser asks for those that a query needs; a page that nobody searches from
asks for none. ``docs/javascripts/search.js`` shows what is found.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

FOLDER = "search"
PAGES = "**/index.html"
LEFT_OUT = ("svg", ".headerlink", ".chapter-tools", ".knobs", ".live-tools", ".jp-OutputArea", ".exercise-board")
_UNUSED = ("*ui*.js", "*ui*.css", "*highlight*.js")  # Pagefind's own ways of showing what is found


def write_search(site: Path, kept: Path, *, may_be_old: bool = False) -> None:
    """Write the index of a built site into its folder ``search``.

    Args:
        site: the folder of the built site.
        kept: where indexes are kept; the last one alone stays.
        may_be_old: whether the last index will do, though pages have changed since it was made.

    Raises:
        RuntimeError: Pagefind failed, with what it said.
    """
    last = next(kept.glob("*"), None) if may_be_old else None
    index = kept / _digest(site)
    with suppress(OSError, shutil.Error):  # there is none, or another build has just swept it away
        shutil.copytree(last or index, site / FOLDER, dirs_exist_ok=True)
        return
    begun = kept.with_name(f"{kept.name}-{os.getpid()}")  # another build may make the same
    _run_pagefind(site, begun)
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
        total.update(page.relative_to(site).as_posix().encode() + b"\0" + sha256(page.read_bytes()).digest())
    return total.hexdigest()[:40]


def _run_pagefind(site: Path, output: Path) -> None:
    command = [sys.executable, "-m", "pagefind", "--site", str(site), "--output-path", str(output), "--glob", PAGES]
    command += ["--root-selector", "article", "--exclude-selectors", ", ".join(LEFT_OUT), "--force-language", "en"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pagefind failed:\n{done.stdout}")
