"""The scripts of benchmarks/ start as their page says, and mutants meet the tests that are about their module."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from benchmarks import mutation
from benchmarks.mutation import ROOT, WALK

RESULTS = (ROOT / "benchmarks" / "results.md").read_text(encoding="utf-8")
STARTED = re.findall(r"^\| `python (-m benchmarks\.\w+)[^`]*` \|", RESULTS, re.MULTILINE)


@pytest.mark.parametrize("script", STARTED)
def test_a_script_starts_as_its_page_says(script: str) -> None:
    command = [sys.executable, *shlex.split(script), "--help"]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert re.match(rf"usage: .*\b{script.rpartition('.')[2]}\b", asked.stdout), asked.stderr


def test_the_page_names_every_script() -> None:
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text("utf-8")}
    assert {script.rpartition(".")[2] for script in STARTED} == scripts


def test_a_module_has_the_tests_of_its_room_first() -> None:
    own, others = mutation.tests_of("memory.zero.formulas")
    assert own[0] == "snippets/memory/zero/formulas.py"
    assert own[-1] == WALK
    assert len(own) > 2
    assert all(name.startswith("tests/memory/zero/test_") for name in own[1:-1])
    assert not {*own} & {*others}


def test_a_module_has_the_tests_of_who_hands_on_its_names() -> None:
    own, others = mutation.tests_of("composition.mesh")
    assert "tests/composition/device_mesh/test_device_mesh.py" in own + others


@pytest.mark.parametrize("module", ["domain", "door"])
def test_a_module_at_the_top_has_the_tests_of_its_name(module: str) -> None:
    own, others = mutation.tests_of(module)
    assert own[1:-1] == [{"domain": "tests/test_domain.py", "door": "tests/test_front_door.py"}[module]]
    assert others
