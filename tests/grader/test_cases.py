"""The inputs that an exercise draws are the same in every process, whatever else it has loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DRAW = """
import sys
from dataclasses import replace
from grader.cases import inputs_of
from exercises.memory.zero.fewest_ranks import EXERCISE

exercise = replace(EXERCISE, draws=200, inputs=lambda st: {"bytes": st.integers(0, 10**30)}, examples=[{"bytes": 1}])
before = inputs_of(exercise)
sys.path.insert(0, sys.argv[1])
import large_numbers
after = inputs_of(exercise)
print(len(before), before == after, len({one["bytes"] for one in after} & large_numbers.NUMBERS))
"""


def test_a_module_that_is_loaded_changes_no_input(tmp_path: Path) -> None:
    numbers = [10**25 + 7 * number for number in range(200)]
    (tmp_path / "large_numbers.py").write_text(f"NUMBERS = set({numbers})\n")
    done = subprocess.run(
        [sys.executable, "-c", DRAW, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    drawn, same, of_the_module = done.stdout.split()
    assert int(drawn) > 150
    assert (same, of_the_module) == ("True", "0")
