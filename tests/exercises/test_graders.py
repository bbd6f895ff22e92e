"""Every grader is graded: solutions pass, stubs are open, typical wrong answers fail and are told why."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from exercises.grading import attempt, load_answers, mutants_in

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in ROOT.glob("exercises/**/test_answers.py"))
MUTANTS = [pytest.param(folder, name, id=f"{folder.name}-{name}") for folder in FOLDERS for name in mutants_in(folder)]


class Outcome:
    """A pytest plugin that keeps what became of each test."""

    def __init__(self) -> None:
        self.passed = self.failed = self.open = 0
        self.messages: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.failed
        self.passed += report.passed and report.when == "call"
        self.open += report.skipped
        if report.failed or report.skipped:
            self.messages.append(str(report.longrepr))


def grade(folder: Path, answers: str) -> Outcome:
    outcome = Outcome()
    options = ["-q", "-p", "no:cacheprovider", f"--answers={answers}", f"--rootdir={ROOT}"]
    pytest.main([str(folder), *options], plugins=[outcome])
    return outcome


def test_there_are_exercises() -> None:
    assert FOLDERS
    assert MUTANTS


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_solution_passes(folder: Path) -> None:
    outcome = grade(folder, "solution.py")
    assert (outcome.failed, outcome.open, outcome.messages) == (0, 0, [])
    assert outcome.passed


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_stub_is_open(folder: Path) -> None:
    outcome = grade(folder, "stub.py")
    assert (outcome.failed, outcome.passed) == (0, 0)
    assert outcome.open
    assert all("open: " in message for message in outcome.messages)


@pytest.mark.parametrize(("folder", "name"), MUTANTS)
def test_a_wrong_answer_fails_and_is_told_why(folder: Path, name: str) -> None:
    mutant = mutants_in(folder)[name]
    outcome = grade(folder, f"mutants.py::{name}")
    assert outcome.failed
    assert any(mutant.says in message for message in outcome.messages), outcome.messages
    for message in outcome.messages:
        for part in ("asked:", "input:", "expected:", "got:", "hint:"):
            assert part in message


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_exercise_has_a_solution_a_grader_and_wrong_answers(folder: Path) -> None:
    stub = ast.parse((folder / "stub.py").read_text(encoding="utf-8"))
    asked = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    grader = (folder / "test_answers.py").read_text(encoding="utf-8")
    assert asked == {mutant.replaces for mutant in mutants_in(folder).values()}
    for name in asked:
        assert callable(getattr(load_answers(folder, "solution.py"), name))
        assert f"answers.{name}" in grader


def test_answers_are_made_from_the_stub_once(tmp_path: Path) -> None:
    (tmp_path / "stub.py").write_text("def f():\n    raise NotImplementedError('f')\n", encoding="utf-8")
    with pytest.raises(NotImplementedError):
        load_answers(tmp_path).f()
    (tmp_path / "answers.py").write_text("def f():\n    return 7\n", encoding="utf-8")
    assert load_answers(tmp_path).f() == 7


def test_a_missing_function_and_a_syntax_error_are_told_plainly(tmp_path: Path) -> None:
    (tmp_path / "answers.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"answers\.py has no function f; stub\.py shows how it begins"):
        _ = load_answers(tmp_path).f
    (tmp_path / "answers.py").write_text("x = (\n", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"answers\.py, line 1: '\(' was never closed"):
        load_answers(tmp_path)
    (tmp_path / "answers.py").write_text("\nx = y\n", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"answers\.py, line 2: NameError: name 'y' is not defined"):
        load_answers(tmp_path)


def test_an_answer_that_raises_is_told_where(tmp_path: Path) -> None:
    (tmp_path / "answers.py").write_text("def f(x):\n    return 1 / x\n", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"got: +ZeroDivisionError: division by zero \(line 2\)"):
        attempt(load_answers(tmp_path).f, asked="a quotient", x=0)
