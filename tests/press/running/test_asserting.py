"""An assertion that fails in a cell says what it compared; one that holds does what it did before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from press.running.asserting import LONGEST_PART, load_ipython_extension

SETUP = """
class Silent:
    def __repr__(self):
        raise ValueError
class Watched:
    pass
calls = []
def called(value):
    calls.append(value)
    return value
x = 3
"""


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    load_ipython_extension(made)
    made.run_cell(SETUP)
    yield made
    made.restore_sys_module_state()


def raised(shell: InteractiveShell, cell: str) -> BaseException | None:
    return shell.run_cell(cell).error_in_exec


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("assert round(x / 2, 1) == 1e3", "round(x / 2, 1) == 1e3 does not hold: 1.5 == 1000.0"),
        ("assert round(x / 2,\n             1) == 2", "round(x / 2, 1) == 2 does not hold: 1.5 == 2"),
        ("assert 1 < x < 2 < y", "1 < x < 2 < y does not hold: 1 < 3 < 2 < …"),
        ("assert 'a b' in ['c'], f'of {x}'", "of 3: 'a b' in ['c'] does not hold: 'a b' in ['c']"),
        ("assert x == 3 and (x and x > 4)", "x > 4 does not hold: 3 > 4"),
        ("assert x == 4 or not x", "x == 4 or not x does not hold"),
        ("assert any([])", "any([]) does not hold"),
        ("def inside():\n    assert x != 3\ninside()", "x != 3 does not hold: 3 != 3"),
        ("async def late():\n    return 4\nassert await late() == x", "await late() == x does not hold: 4 == 3"),
        (
            "def steps():\n    assert (yield) == x\nhere = steps()\nnext(here)\nhere.send(5)",
            "(yield) == x does not hold: 5 == 3",
        ),
        ("assert Silent() is x", "Silent() is x does not hold: <Silent> is 3"),
        ("assert 'n' * 200 == x", f"'n' * 200 == x does not hold: '{'n' * (LONGEST_PART - 1)}… == 3"),
    ],
)
def test_a_failing_assertion_says_what_it_compared(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], cell: str, said: str
) -> None:
    error = raised(shell, cell)
    assert (type(error), str(error)) == (AssertionError, said)


def test_what_a_comparison_raises_goes_on(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(raised(shell, "assert 1 / 0 == 2"), ZeroDivisionError)


def test_each_side_is_computed_once_and_only_if_it_is_needed(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert raised(shell, "assert called(1) == called(1) < called(2) and called(3), called(4)") is None
    assert raised(shell, "assert called(5) > called(6) > called(7) and called(8), called(9)") is not None
    assert shell.user_ns["calls"] == [1, 1, 2, 3, 5, 6, 9]


def test_an_assertion_that_holds_keeps_nothing(shell: InteractiveShell) -> None:
    names = set(shell.user_ns)
    cell = "import weakref\none = Watched()\nseen = weakref.ref(one)\nassert one == one\ndel one\ngone = seen() is None"
    assert raised(shell, cell) is None
    assert shell.user_ns["gone"] is True
    assert set(shell.user_ns) - names == {"weakref", "seen", "gone"}
