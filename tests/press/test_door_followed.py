"""Who follows the package's front door: its table, what a chapter reaches, pages' archives, the mutants' tests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from benchmarks.mutation import imported
from press import door
from press.running.freshness import Freshness
from press.site import runtime
from snippets.index import listed

ROOT = Path(__file__).parents[2]


def test_the_table_is_what_the_modules_texts_give() -> None:
    assert (ROOT / door.TABLE).read_text(encoding="utf-8") == door.table(ROOT), "python -m press.door writes it anew"


def test_a_name_that_means_two_formulas_is_none(tmp_path: Path) -> None:
    text = '"""Formulas: two."""\n\n\ndef {}() -> None:\n'
    text += '    """One.\n\n    Also: both, {} alone\n    Formula: $1$\n    """\n'
    (tmp_path / "snippets").mkdir()
    for name in ("first_bytes", "second_s"):
        (tmp_path / "snippets" / f"{name}.py").write_text(text.format(name, name[:5]))
    table = door.table(tmp_path)
    assert "\nfirst_alone = first_bytes\nfirst_alone_bytes = first_bytes\n" in table
    assert "\nboth = " not in table
    assert "\nboth_bytes = first_bytes\nboth_s = second_s\n" in table
    (tmp_path / "snippets" / "third.py").write_text(text.format("second_s", "third"))
    with pytest.raises(ValueError, match=r"second_s must .* one module, got snippets\.second_s and snippets\.third"):
        door.table(tmp_path)


@pytest.mark.parametrize(
    "code",
    [
        "from snippets import ring_all_reduce_time_s",
        "from snippets import (\n    MODELS,\n    ring_all_reduce_bytes as sent,\n)",
        "import snippets\nsnippets.ring_all_reduce_bytes(ranks=8, size_bytes=1)",
        "import snippets as book\nprint(book.ring_all_reduce_bytes)",
    ],
)
def test_a_changed_formula_makes_the_chapters_that_find_it_at_the_door_stale(code: str) -> None:
    reached = {path.relative_to(ROOT).as_posix() for path in Freshness(ROOT).reached([code])}
    assert "snippets/all_reduce.py" in reached
    assert "snippets/simulation/double_tree.py" in reached  # what that imports
    assert "snippets/recipes.py" not in reached


def test_another_name_reaches_the_same_module_and_the_bare_package_none() -> None:
    names = {path.name for path in Freshness(ROOT).reached(["from snippets import mfu, DEVICES"])}
    assert {"flops.py", "hardware.py"} <= names
    assert "flops.py" not in {path.name for path in Freshness(ROOT).reached(["import snippets"])}


def test_a_chapter_is_stale_when_its_formula_changes_and_not_when_another_is_added(tmp_path: Path) -> None:
    files = {
        "book/__init__.py": "",
        "book/__init__.pyi": "# Formulas\nfrom book.near import one as one\n\n# Also\nfirst = one\n",
        "book/near.py": "one = 1\n",
        "book/far.py": "two = 2\n",
    }
    (tmp_path / "book").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def digests() -> list[str]:
        return [Freshness(tmp_path).digest([(f"from book import {name}", ())]) for name in ("one", "first")]

    before = digests()
    (tmp_path / "book/far.py").write_text("two = 3\n")
    (tmp_path / "book/__init__.pyi").write_text(files["book/__init__.pyi"] + "from book.far import two as two\n")
    assert digests() == before
    (tmp_path / "book/near.py").write_text("one = 2\n")
    assert not {*digests()} & {*before}
    moved = digests()
    (tmp_path / "book/__init__.pyi").write_text(files["book/__init__.pyi"].replace("near", "far"))
    assert not {*digests()} & {*moved}


ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from snippets import mfu, ring_all_reduce_bytes
try:
    from snippets import ring_all_reduce_byte
except ImportError as error:
    said = str(error)
places = [module.__file__ for name, module in sys.modules.items() if name.startswith("snippets")]
print(json.dumps([ring_all_reduce_bytes(ranks=8, size_bytes=800), said, places]))
"""


def test_an_archive_holds_what_its_modules_find_at_the_door(tmp_path: Path) -> None:
    reached = Freshness(ROOT).reached(["from snippets import ring_all_reduce_bytes, mfu"])
    packed = runtime.archive({path.relative_to(ROOT).as_posix(): path for path in reached})
    zipfile.ZipFile(BytesIO(packed)).extractall(tmp_path)
    command = [sys.executable, "-S", "-I", "-B", "-c", ALONE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    value, said, places = json.loads(done.stdout)
    assert value == 1400
    assert said.startswith("cannot import name 'ring_all_reduce_byte' from 'snippets'; near: ring_all_reduce_bytes")
    assert all(place.startswith(str(tmp_path)) for place in places)
    assert not (tmp_path / "snippets/recipes.py").exists()


def test_without_its_table_the_door_still_says_that_there_is_no_such_name(tmp_path: Path) -> None:
    """As in an archive of which nothing goes through the door, where an answer tries it."""
    for path in Freshness(ROOT).reached(["import snippets.door"]):
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    assert not (tmp_path / door.TABLE).exists()
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from snippets import ring_all_reduce_bytes"
    done = subprocess.run([sys.executable, "-S", "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert "ImportError: cannot import name 'ring_all_reduce_bytes' from 'snippets'" in done.stderr


def test_a_mutants_tests_are_those_that_find_its_formula_at_the_door(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("from snippets import mfu, ring_all_reduce_bytes\n")
    assert {"snippets.all_reduce", "snippets.flops"} <= imported(tmp_path / "test_it.py")


ROOMS = [*sorted((ROOT / "chapters").rglob("*.md")), *sorted((ROOT / "labs").rglob("*.py"))]


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: path.stem)
def test_chapters_and_labs_import_through_the_door_what_it_has(path: Path) -> None:
    has = {(module, name) for kind in listed().values() for name, (module, own) in kind.items() if name == own}
    asked = re.findall(r"^from (snippets\.\S+) import (\([^)]*\)|.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    past = {(module, name) for module, names in asked for name in re.findall(r"\w+", names)} & has
    assert not past, "`from snippets import …` finds them"
