"""The enlarged book is a book: it holds together under its new names, builds, and passes the tests of its size."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from benchmarks import enlarged_book, tiers
from benchmarks.enlarged_book import ROOT, Names, enlarge, files
from press.reading.notation import read_alphabet

BOOK = Names(ROOT, tuple(files(ROOT)))
pytestmark = pytest.mark.skipif(
    any(part[-1].isdigit() for part in BOOK.parts), reason="this book is an enlarged one itself"
)


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return enlarge(tmp_path_factory.mktemp("twice"), 2)


def run(book: Path, *command: str) -> str:
    """Run a module of Python in a book's folder, and return what it printed if it ended well."""
    environment = {**os.environ, "PYTHONPATH": str(book), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=book, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.mark.parametrize("module", [enlarged_book, tiers])
def test_the_examples_in_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("from snippets.memory.zero.formulas import STAGES", "from snippets.memory3.zero.formulas import STAGES"),
        ("from snippets.memory import zero", "from snippets.memory3 import zero"),
        ("from snippets.models import MODELS", "from snippets.models import MODELS"),
        ("[13 · Ring](../collectives/13-ring-and-tree.md#x)", "[213 · Ring](../collectives3/213-ring-and-tree.md#x)"),
        ('title: "A1 · Linear algebra"', 'title: "A201 · Linear algebra"'),
        ("    Chapter: 5, 14", "    Chapter: 205, 214"),
        ("[x](../../exercises/memory/zero/owners.py)", "[x](../../exercises/memory3/zero/owners_3.py)"),
        ('"exercise: owners"', '"exercise: owners_3"'),
        (
            "from exercises.memory.zero.fewest_ranks import model",
            "from exercises.memory3.zero.fewest_ranks_3 import model",
        ),
        ("from snippets.memory.zero.live import zero_table", "from snippets.memory3.zero.live import zero_table_3"),
        ('print_record("pipeline", "1F1B: tasks")', 'print_record("pipeline_3", "1F1B: tasks")'),
        ("Chapter 13 counts the bytes in memory.", "Chapter 13 counts the bytes in memory."),
    ],
)
def test_what_belongs_to_a_chapter_has_another_name_and_nothing_else(text: str, copied: str) -> None:
    assert BOOK.renamed(text, 3) == copied


@pytest.mark.parametrize(
    ("path", "text", "copied"),
    [
        (
            "chapters/memory/22-zero.md",
            "from snippets import (\n    MODELS,\n    least_ranks_to_fit,\n    zero_state_bytes as held,\n)\n",
            "from snippets import MODELS\n"
            "from snippets.memory3.zero.formulas import least_ranks_to_fit, zero_state_bytes as held\n",
        ),
        (
            "labs/memory/zero_fsdp.py",
            "    from snippets import activation_memory\n",  # what the field calls a formula besides
            "    from snippets.memory3.memory_equation.activations import layer_activation_bytes as activation_memory\n"
            "# Copy 3.\n",
        ),
        (
            "chapters/memory/22-zero.md",
            "from exercises.memory.zero import owners, fewest_ranks as fewest\nowners.owners(fewest.fewest_ranks())\n",
            "from exercises.memory3.zero import owners_3 as owners, fewest_ranks_3 as fewest\n"
            "owners.owners_3(fewest.fewest_ranks_3())\n",
        ),
        (
            "tests/memory/zero/test_zero.py",
            "from exercises.memory.zero import owners\nassert given.owners == owners.owners()\n",
            "from exercises.memory3.zero import owners_3 as owners\n"
            "assert given.owners == owners.owners_3()\n# Copy 3.\n",
        ),
        (
            "exercises/memory/zero/owners.py",
            "def owners(sizes):\ncase = inputs_for(owners)\n",
            "def owners_3(sizes):\ncase = inputs_for(owners_3)\n# Copy 3.\n",
        ),
    ],
)
def test_a_copy_uses_copies(path: str, text: str, copied: str) -> None:
    assert BOOK.copied(PurePosixPath(path), text, 3) == copied


def test_a_copy_has_its_data_too(twice: Path) -> None:
    for path in BOOK.files:
        if BOOK.is_of_a_chapter(path):
            assert (twice / BOOK.place(path, 2)).is_file(), path
    name = "configuration_search/measured/vtrain_multi.csv"
    first, copy = (twice / "snippets" / part / name for part in ("composition", "composition2"))
    assert copy.read_bytes() == first.read_bytes()


def test_where_a_chapter_may_differ_its_copies_may(twice: Path) -> None:
    alphabet = read_alphabet((twice / "docs/notation.md").read_text(encoding="utf-8"))
    before = read_alphabet((ROOT / "docs/notation.md").read_text(encoding="utf-8"))
    assert alphabet.letters == before.letters
    for symbol, numbers in before.exceptions.items():
        assert alphabet.exceptions[symbol] == numbers | {enlarged_book.numbered(number, 2) for number in numbers}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("chapters/memory/22-zero.md", "chapters/memory2/122-zero.md"),
        ("chapters/synthesis/37-llama-3.md", "chapters/synthesis2/137-llama-3.md"),
        ("snippets/memory/zero/live.py", "snippets/memory2/zero/live.py"),
        ("tests/memory/zero/test_zero.py", "tests/memory2/zero/test_zero_2.py"),
        (
            "tests/collectives/ring_and_tree/test_schedule_live.py",
            "tests/collectives2/ring_and_tree/test_schedule_live_2.py",
        ),
        ("labs/recorded/pipeline.json", "labs/recorded/pipeline_2.json"),
    ],
)
def test_a_copy_has_a_place_of_its_own(path: str, place: str) -> None:
    assert BOOK.is_of_a_chapter(PurePosixPath(path))
    assert BOOK.place(PurePosixPath(path), 2) == PurePosixPath(place)


@pytest.mark.parametrize(
    "path",
    ["snippets/domain.py", "snippets/live/knobs.py", "docs/glossary.md", "tests/live/test_knobs.py", "labs/harness.py"],
)
def test_what_chapters_share_stands_once(path: str) -> None:
    assert not BOOK.is_of_a_chapter(PurePosixPath(path))


def test_once_is_the_book_itself(tmp_path: Path) -> None:
    enlarge(tmp_path, 1)
    assert list(files(tmp_path)) == list(BOOK.files)
    assert all((tmp_path / path).read_bytes() == (ROOT / path).read_bytes() for path in BOOK.files)


def test_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("/site/\n__pycache__/\n/exercises/**/answers.py\n", encoding="utf-8")
    for name in (
        "site/index.html",
        "press/__pycache__/book.pyc",
        "exercises/memory/zero/answers.py",
        ".git/HEAD",
        "a/site/b",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [path.as_posix() for path in files(tmp_path)] == [".gitignore", "a/site/b"]


def test_a_cell_goes_on_calling_a_solution_by_its_name(twice: Path) -> None:
    text = (twice / "chapters/memory2/122-zero.md").read_text(encoding="utf-8")
    module = "exercises.memory2.zero.bytes_per_parameter_2"
    assert f"from {module} import bytes_per_parameter_2 as bytes_per_parameter\n" in text


def test_twice_the_book_has_two_of_everything_and_each_compiles(twice: Path) -> None:
    book = Names(twice, tuple(files(twice)))
    assert book.parts == {f"{part}{copy}" for part in BOOK.parts for copy in ("", 2)}
    assert len(book.chapters) == 2 * len(BOOK.chapters)
    assert len(set().union(*book.asked.values())) == 2 * sum(map(len, BOOK.asked.values()))
    assert len(book.records) == 2 * len(BOOK.records)
    for path in book.files:
        if path.suffix == ".py" and not {"hostile_answers", "odd_answers"} & set(path.parts):
            compile((twice / path).read_bytes(), str(path), "exec")


def test_an_enlarged_book_is_not_enlarged_again(twice: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be a book that was not enlarged, got"):
        enlarge(tmp_path, 2, twice)


def test_a_failing_tier_is_shown_as_failed() -> None:
    runs = {"labs": (tiers.Run(3, 10), tiers.Run(2, 20, "1 failed"))}
    assert tiers.table(runs, 4).splitlines()[-1] == "| `pytest -m labs` | 3 | 10 | 2 | failed after 20 |  |"


def test_a_tier_is_run_and_its_tests_are_counted(tmp_path: Path) -> None:
    """One test passes, one is skipped, one fails."""
    book = tmp_path / "book"
    book.mkdir()
    tests = ["def test_a(): pass", "import pytest", "def test_b(): pytest.skip()", "def test_c(): assert 1 == 2"]
    (book / "test_three.py").write_text("\n".join(tests), encoding="utf-8")
    came_of_it = tiers.run("pytest", book)
    assert came_of_it.tests == 2
    assert "1 failed, 1 passed, 1 skipped" in came_of_it.failure


@pytest.mark.nightly
def test_twice_the_book_builds(twice: Path) -> None:
    run(twice, "mkdocs", "build", "--strict")
    for page in ("memory/22-zero", "memory2/122-zero", "background2/a101-linear-algebra"):
        assert (twice / "site" / page / "index.html").exists()


@pytest.mark.nightly
def test_twice_the_book_passes_the_tests_that_walk_over_it(twice: Path) -> None:
    """All tests are collected; those of the architecture, the chapters and the graders pass."""
    pytest_alone = ("pytest", "--quiet", "-p", "no:cacheprovider")
    run(twice, *pytest_alone, "--collect-only")
    tests = ("tests/test_architecture.py", "tests/test_chapters.py", "tests/grader/test_exercises.py")
    artefacts = (
        "fits_an_editor",  # the copies' names are longer
        "share_a_name",  # their classes are named alike
        "lacks_nothing",  # a chapter beyond 34 has no box, and a copy of one before it has
        "those_before_them",  # the copy of the background is the last of its parts
    )
    run(twice, *pytest_alone, *tests, "-k", f"not ({' or '.join(artefacts)})")
