"""What every lab leans on: the table, the exit code, the time limit; and that labs keep to the house's plan."""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from full_disk import FullAfter
from launching import INSTALL, ROOT, Launcher, documented_command
from sampling import sampled

LABS = sorted(
    str(path.relative_to(ROOT).as_posix())
    for path in (ROOT / "labs").glob("*/*.py")
    if "run_lab(" in path.read_text(encoding="utf-8")
)
HARD = "tests/labs/programs/hard_cases.py"


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_is_short_says_how_it_is_started_and_predicts_with_the_book(lab: str) -> None:
    text = (ROOT / lab).read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text), clean=False) or ""
    assert len(text.splitlines()) - len(docstring.splitlines()) < 190
    assert documented_command(lab)[-1].endswith(".py") or "--" in documented_command(lab)[-1]
    assert {"2", "4"} & {*documented_command(lab)}  # of ranks: two where they are to have a core each
    modules = {node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert any(module.split(".")[0] == "snippets" for module in modules), "predictions come from snippets"


TESTS = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*_labs*.py"))


@pytest.mark.parametrize("lab", sampled(LABS, 1, changed=lambda lab: lab not in TESTS, most=len(LABS)))
def test_a_lab_agrees_whether_or_not_it_has_tests_of_its_own(launch: Launcher, lab: str) -> None:
    """A lab that runs a reader's answer is given the book's: a clean checkout has none."""
    address = re.search(r'^ADDRESS = "(.+)"', (ROOT / lab).read_text(encoding="utf-8"), re.MULTILINE)
    answer = ["--answer", f"exercises/{address[1]}.py"] if address else []
    done = launch(lab, *answer, ranks=2)
    if "needs at least 4 ranks" in done.out:
        done = launch(lab, *answer, ranks=4)
    done.assert_agrees()


@pytest.mark.labs
def test_a_full_disk_leaves_the_record_as_it_was(tmp_path: Path, full_after: FullAfter) -> None:
    torch = pytest.importorskip("torch", reason=INSTALL)
    from labs.harness import Lab, _record

    record = tmp_path / "record.json"
    record.write_text("{}\n")
    lab = Lab(0, 1, 0, 1, torch.device("cpu"), "gloo", argparse.Namespace(record=record, machine="a machine"), None)
    with full_after(1_000), pytest.raises(OSError, match="File too large"):
        _record(lab, [{"what": "x" * 2_000}])
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"record.json": "{}\n"}


def test_only_tests_import_labs() -> None:
    """The records need the standard library alone, so the press may read them."""
    for folder in ("snippets", "press", "exercises", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not re.search(
                r"^\s*(from|import) labs\b(?!\.records\b)", path.read_text(encoding="utf-8"), re.MULTILINE
            ), path


def test_without_pytorch_the_tests_skip_with_the_line_that_installs_it() -> None:
    """And fail where ``CI`` is set."""
    hidden = "import importlib.util as util, pytest, sys; find = util.find_spec\n"
    hidden += "util.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest)\n"
    hidden += "sys.exit(pytest.main(sys.argv[1:]))"
    test = "tests/labs/test_collective_labs.py::test_every_primitive_and_algorithm_is_the_simulators[2]"
    command = [sys.executable, "-c", hidden, "-p", "no:xdist", "-o", "addopts=", "-rs", test]
    for in_ci, outcome in ((False, "1 skipped"), (True, "1 error")):
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        environment |= {"CI": "1"} if in_ci else {}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert outcome in done.stdout, done.stdout + done.stderr
        assert INSTALL in done.stdout


def test_one_rank_that_disagrees_fails_all(launch: Launcher) -> None:
    done = launch(HARD, "--case", "disagree", ranks=3)
    assert done.code != 0
    assert done.rows["count"]["agree"] == "NO"
    assert done.rows["count"]["measured"] == "7; 7; 8"
    assert "disagree: count" in done.out


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ("sleep", r"^rank 1 hangs in phase 'the hard part' at hard_cases.py:\d+$"),
        ("stop", r"^rank 1 hangs and does not answer$"),
        ("deadlock", r"^every rank waits for another$"),
    ],
)
def test_a_rank_that_hangs_is_named_and_killed(launch: Launcher, case: str, line: str) -> None:
    done = launch(HARD, "--case", case, "--time-limit", "2", ranks=2, cold=case == "stop")
    assert done.code != 0
    assert re.search(line, done.error, re.MULTILINE), done.error
    assert re.search(r"^rank 0 waits in phase 'the hard part' at hard_cases.py:\d+$", done.error, re.MULTILINE)


def test_a_rank_that_raises_ends_the_lab_at_once(launch: Launcher) -> None:
    done = launch(HARD, "--case", "raise", ranks=2, within_s=60)
    assert done.code != 0
    assert "rank 1 failed" in done.error
    assert "ValueError: the hard part" in done.error
    assert not done.rows


def test_workers_do_not_outlive_a_killed_torchrun(launch: Launcher) -> None:
    command = [part if part != "4" else "2" for part in documented_command(HARD)]
    process = launch.start([*command, "--case", "sleep"])
    assert process.stdout is not None
    assert "begun" in process.stdout.readline()
    process.kill()
    assert not launch.left()
