"""Work in child processes: each piece once, on all cores, and no child outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from made_page import MadePages

from press.children import beside, can_fork, in_children

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="forks (Linux)"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),  # it is pytest's worker
]

SLEEPS = """\
import os, signal, sys, time
from pathlib import Path
from press import children

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it

def sleep(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(1000)

children.cores = lambda: 2
children.in_children(sleep, 2)
"""


@pytest.fixture(autouse=True)
def _three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("press.children.cores", lambda: 3)
    monkeypatch.setattr("press.children.active_count", lambda: 1)  # pytest's workers have threads of their own


def test_each_number_is_done_once_and_elsewhere(tmp_path: Path) -> None:
    def note(number: int) -> None:
        with (tmp_path / str(number)).open("a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(0.05)  # so that no child is done before the next begins

    in_children(note, 20)
    pids = [(tmp_path / str(number)).read_text().split() for number in range(20)]
    assert all(len(by) == 1 for by in pids)
    assert 1 < len({pid for [pid] in pids} - {str(os.getpid())}) <= 3


def test_a_child_that_ends_early_leaves_the_rest_to_the_others(tmp_path: Path) -> None:
    def note(number: int) -> None:
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        (tmp_path / str(number)).touch()

    in_children(note, 10)
    assert sorted(int(file.name) for file in tmp_path.iterdir()) == list(range(1, 10))


@pytest.mark.parametrize("alone", ["one core", "no fork", "one piece", "a second thread"])
def test_the_caller_does_alone_what_is_not_for_children(monkeypatch: pytest.MonkeyPatch, alone: str) -> None:
    if alone == "one core":
        monkeypatch.setattr("press.children.cores", lambda: 1)
    elif alone == "no fork":
        monkeypatch.setenv("PRESS_FORK", "0")
    elif alone == "a second thread":
        monkeypatch.setattr("press.children.active_count", lambda: 2)
    monkeypatch.setattr("press.children.multiprocessing", None)  # starts none
    in_children(lambda number: None, 1 if alone == "one piece" else 5)
    if alone != "one piece":
        with beside(lambda: None):
            pass


def test_a_function_runs_beside_a_block_which_waits_for_it(tmp_path: Path) -> None:
    def note() -> None:
        _until((tmp_path / "block").exists)
        (tmp_path / "pid").write_text(str(os.getpid()))

    with beside(note):
        (tmp_path / "block").touch()
    assert int((tmp_path / "pid").read_text()) != os.getpid()


def test_what_fails_beside_a_block_is_left_to_the_caller(capfd: pytest.CaptureFixture[str]) -> None:
    with beside(lambda: 1 / 0):
        pass
    assert capfd.readouterr() == ("", "")


def test_a_block_that_fails_ends_what_runs_beside_it(tmp_path: Path) -> None:
    def note() -> None:
        (tmp_path / "pid").write_text(str(os.getpid()))
        (tmp_path / "written").touch()
        time.sleep(1000)

    def block() -> None:
        _until((tmp_path / "written").exists)
        raise KeyError

    with pytest.raises(KeyError), beside(note):
        block()
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_children_end_with_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", SLEEPS, str(tmp_path)], stderr=subprocess.DEVNULL)
    try:
        _until(lambda: len(list(tmp_path.iterdir())) == 2)
        parent.send_signal(number)
        parent.wait(60)
        _until(lambda: not any(psutil.pid_exists(int(file.name)) for file in tmp_path.iterdir()))
    finally:
        parent.kill()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, -2)])
def test_what_children_have_begun_is_removed_when_their_parent_is_stopped(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    (tmp_path / "begun").mkdir()
    script = f"""\
from tempfile import TemporaryDirectory
{SLEEPS.partition("def sleep")[0]}
def sleep(number):
    with TemporaryDirectory(dir=sys.argv[1]):
        time.sleep(1000)

import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it
children.stop_by_exception()
children.cores = lambda: 2
children.in_children(sleep, 2)
"""
    command = [sys.executable, "-c", script, str(tmp_path / "begun")]
    parent = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        _until(lambda: len(list((tmp_path / "begun").iterdir())) == 2)
        parent.send_signal(number)
        assert parent.wait(60) == status
        assert list((tmp_path / "begun").iterdir()) == []
    finally:
        parent.kill()


def test_children_make_pages_and_the_build_reads_them(
    made_pages: MadePages, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in "abc":
        made_pages.write(f"docs/{name}.md", f"# {name}\n\nA letter, $x$.\n")
    made_pages.book().make_pages(print)
    assert "makes pages (0 of 3)" in capfd.readouterr().out
    monkeypatch.setattr("press.book.PageMaker", None)  # makes none again
    assert "<math>" in made_pages.rendered("docs/a.md").html


def test_what_children_cannot_make_is_a_problem_as_ever(made_pages: MadePages, monkeypatch: pytest.MonkeyPatch) -> None:
    made_pages.write("docs/a.md", "# a\n")
    made_pages.write("docs/b.md", "---\ntitle: [\n---\n\n# b\n")
    alone = made_pages.problems()
    book = made_pages.book()
    book.make_pages(print)
    assert [str(problem) for problem in book.check({path: book.page(path) for path in book.addresses})] == alone
    assert any("docs/b.md:1: the header is not YAML" in problem for problem in alone)


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
