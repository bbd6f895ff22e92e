"""``mkdocs serve``: one save is one build, what is no source starts none, and whatever ends a build can be mended."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from served_book import Server
from small_book import ROOT, SmallBook

pytestmark = pytest.mark.book

ONE = "chapters/part/01-one.md"
QUIET_S = 2.5
"""The server looks at the files every half second: time enough to begin a build that nobody asked for."""


class Saved:
    """A book whose files are saved as editors do it, under a running server."""

    def __init__(self, book: SmallBook, server: Server, draft: Path) -> None:
        self.book = book
        self.server = server
        self._draft = draft

    def save(self, name: str, old: str, new: str) -> None:
        """Replace a piece of a file, all at once."""
        text = self.book.read(name)
        assert old in text
        self._draft.write_text(text.replace(old, new, 1), encoding="utf-8")
        os.replace(self._draft, self.book.root / name)

    def rest(self) -> int:
        """Return how many builds there were when none is under way and none begins."""
        # "Documentation built in 1.22 seconds" cannot be counted: MkDocs says the same words once alone.
        ends = ("Serving on", "Reloading browsers")
        quiet = [-1]

        def nothing_begins() -> bool:
            builds = self.server.builds
            time.sleep(QUIET_S)
            ended = sum(any(words in line for words in ends) for line in self.server.lines)
            quiet[0] = builds
            return self.server.builds == builds == ended

        self.server.wait(nothing_begins)
        return quiet[0]

    def shown(self, piece: str, page: str = "part/01-one") -> None:
        """Wait until a page shows a piece of text."""
        self.server.wait(lambda: piece in self.server.page(page))


@pytest.fixture
def saved(built_book: SmallBook, tmp_path: Path) -> Iterator[Saved]:
    (tmp_path / "temporary").mkdir()
    server = Server(built_book.root, {"TMPDIR": str(tmp_path / "temporary")})
    yield Saved(built_book, server, tmp_path / "draft")
    server.stop()


def test_one_save_is_one_build(saved: Saved) -> None:
    book = saved.book
    saved.shown("<pre>6\n</pre>")
    builds = saved.rest()
    assert builds == 1
    for name, old, new, page in [
        (ONE, "By $", "Now by $", "part/01-one"),
        ("sums/total.py", "sum(values)", "sum(values) + 10", "part/01-one"),
        ("docs/glossary.md", "A process", "A single process", "glossary"),
        ("mkdocs.yml", "site_name: Many Machines, One Gradient", "site_name: Another Name", "glossary"),
    ]:
        before = saved.server.page(page)
        saved.save(name, old, new)
        saved.server.wait(lambda page=page, before=before: saved.server.page(page) not in ("", before))
        assert saved.rest() == builds + 1, f"{name}\n{''.join(saved.server.lines)}"
        builds += 1
    assert "<pre>16\n</pre>" in saved.server.page()
    for name in ("docs/.glossary.md.swp", f"{ONE}~", "docs/4913", "docs/#a#", "sums/answers.py", "answers/part/a.py"):
        book.write(name, "x")
    assert saved.rest() == builds, "".join(saved.server.lines)


def test_a_module_saved_during_a_build_is_built(saved: Saved) -> None:
    saved.shown("<pre>6\n</pre>")
    waits = "import pathlib, time\n\nwhile not pathlib.Path('go').exists():\n    time.sleep(0.05)\nprint(product"
    saved.save("chapters/part/02-two.md", "print(product", waits)
    saved.server.wait(lambda: saved.server.builds == 2)
    saved.save("sums/total.py", "sum(values)", "sum(values) + 10")
    (saved.book.root / "go").touch()
    saved.shown("<pre>16\n</pre>")


def test_the_press_s_folder_can_be_deleted_and_broken_settings_mended(saved: Saved) -> None:
    saved.shown("<pre>6\n</pre>")
    assert list(saved.book.root.parent.glob("temporary/mkdocs_*/.press-serves"))
    shutil.rmtree(saved.book.root / ".press")
    saved.save(ONE, "total([1, 2, 3])", "total([1, 2, 4])")
    saved.shown("<pre>7\n</pre>")
    saved.save("mkdocs.yml", "\nnav:\n", "\nnav: [\n")
    saved.shown("build-problems")
    assert "mkdocs.yml:" in saved.server.page()
    assert any("mkdocs.yml:" in line and "not YAML" in line for line in saved.server.lines)
    saved.save("mkdocs.yml", "\nnav: [\n", "\nnav:\n")
    saved.shown("<pre>7\n</pre>")
    assert "build-problems" not in saved.server.page()
    saved.save("mkdocs.yml", "cell_timeout_s: 20", "cell_timeout_s: fast")
    saved.shown("extra.press.cell_timeout_s must be a number of seconds above 0")
    saved.save("mkdocs.yml", "cell_timeout_s: fast", "cell_timeout_s: 20")
    saved.shown("<pre>7\n</pre>")


@pytest.fixture
def whole(built_book: SmallBook, tmp_path: Path) -> Iterator[Saved]:
    """Return a book that has a press, a catalogue and exercises of its own."""
    passing = shutil.ignore_patterns("__pycache__", ".*")
    for package in ("press", "snippets", "grader", "exercises/memory/zero"):
        shutil.copytree(ROOT / package, built_book.root / package, ignore=passing)
    for name in ("exercises/__init__.py", "exercises/memory/__init__.py", "labs/__init__.py", "labs/records.py"):
        built_book.write(name, (ROOT / name).read_text(encoding="utf-8"))
    names = [path.stem for path in sorted((ROOT / "exercises/memory/zero").glob("[a-z]*.py"))]
    exercises = [f'[Solve it](../../exercises/memory/zero/{name}.py "exercise: {name}")\n\n' for name in names]
    built_book.write("docs/errata.md", "# Errata\n")
    text = built_book.read("chapters/part/02-two.md") + "\n## Exercises\n\n" + "".join(exercises)
    built_book.write("chapters/memory/22-zero.md", text)
    built_book.write("chapters/foundations/03-hierarchy.md", built_book.read("chapters/part/02-two.md"))
    built_book.settings["hooks"] = ["press/mkdocs_hook.py"]
    built_book.settings["theme"]["custom_dir"] = "press/theme"
    built_book.settings["extra"]["press"]["reference"] = "sums"
    chapters = ["foundations/03-hierarchy.md", "memory/22-zero.md"]
    built_book.settings["nav"] += [*chapters, "hardware.md", "exercises.md", {"Sums": "reference/"}]
    built_book.save_settings()
    server = Server(built_book.root, {"PYTHONPATH": str(built_book.root)})
    yield Saved(built_book, server, tmp_path / "draft")
    server.stop()


EXERCISE = "exercises/memory/zero/fewest_ranks.py"
CATALOGUE = "snippets/hardware.py"


@pytest.mark.nightly
def test_changes_of_the_books_own_modules_reach_the_pages_and_their_faults_can_be_mended(whole: Saved) -> None:
    whole.shown("NVIDIA A100 data sheet", "hardware")
    assert "build-problems" not in whole.server.page()
    whole.save(CATALOGUE, "NVIDIA A100 data sheet", "NVIDIA A100 leaflet")
    whole.shown("NVIDIA A100 leaflet", "hardware")
    whole.save(EXERCISE, "the fewest ranks on which the", "the smallest number of ranks on which the")
    whole.shown("the smallest number of ranks on which", "exercises")

    broken = [(EXERCISE, "def ", "def def "), (CATALOGUE, "class ", "class class ")]
    broken.append(("sums/product.py", "def ", "def def "))
    for name, old, new in broken:
        whole.save(name, old, new)
        line = whole.book.read(name).split(new)[0].count("\n") + 1
        what = "the exercise cannot be read" if name == EXERCISE else "Python cannot read the file"
        reported = f"{name}:{line}: {what}: invalid syntax"
        whole.shown(reported)
        assert any(reported in text for text in whole.server.lines)
    for page in ("hardware", "reference/everywhere"):
        whole.shown("This page could not be written", page)
    assert "leads nowhere" not in whole.server.page()
    for name, old, new in broken:
        whole.save(name, new, old)
    whole.server.wait(lambda: "build-problems" not in (whole.server.page() or "build-problems"))
    whole.shown("NVIDIA A100 leaflet", "hardware")
    whole.shown("the smallest number of ranks on which", "exercises")

    whole.save("snippets/palette.py", "import ", "import import ")  # without it the press itself does not start
    whole.shown("snippets/palette.py:")
    assert "The book cannot be built" in whole.server.page()
    whole.save("snippets/palette.py", "import import ", "import ")
    whole.shown("<pre>6\n</pre>")
