"""``mkdocs serve``: problems stand in the terminal and in the page, the server stays up, and recovers."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from served_book import Server
from small_book import MKDOCS, SmallBook

pytestmark = pytest.mark.book

pytestmark = pytest.mark.book

ONE = "chapters/part/01-one.md"


@pytest.fixture
def server(built_book: SmallBook) -> Iterator[Server]:
    running = Server(built_book.root)
    yield running
    running.stop()


def test_a_problem_is_shown_and_its_mending_too(built_book: SmallBook, server: Server) -> None:
    server.wait(lambda: "<pre>6\n</pre>" in server.page())
    built_book.replace(ONE, "print(total([1, 2, 3]))", "print(total([1, 2, 3]) / 0)")
    server.wait(lambda: "build-problems" in server.page())
    assert "ZeroDivisionError" in server.page()
    assert any(f"{ONE}:" in line and "ZeroDivisionError" in line for line in server.lines)
    built_book.replace(ONE, "total([1, 2, 3]) / 0", "total([1, 2, 4])")
    server.wait(lambda: "<pre>7\n</pre>" in server.page())
    assert "build-problems" not in server.page()


def test_a_changed_snippet_reaches_the_page(built_book: SmallBook, server: Server) -> None:
    server.wait(lambda: "<pre>6\n</pre>" in server.page())
    built_book.replace("sums/total.py", "sum(values)", "sum(values) + 10")
    server.wait(lambda: "<pre>16\n</pre>" in server.page())


def test_it_starts_with_a_broken_book(built_book: SmallBook) -> None:
    built_book.replace(ONE, "print(total([1, 2, 3]))", "print(total([1, 2, 3]) / 0)")
    broken = Server(built_book.root)
    try:
        broken.wait(lambda: "build-problems" in broken.page())
        built_book.replace(ONE, "total([1, 2, 3]) / 0", "total([1, 2, 4])")
        broken.wait(lambda: "<pre>7\n</pre>" in broken.page())
    finally:
        broken.stop()


def test_a_port_that_is_taken_is_told_before_anything_is_built(built_book: SmallBook) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        command = [*MKDOCS, "serve", "-a", f"127.0.0.1:{other.getsockname()[1]}"]
        done = subprocess.run(command, cwd=built_book.root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "The book cannot be served at 127.0.0.1:" in said
    assert "Traceback" not in said
    assert "built in" not in said


def test_it_comes_to_rest(built_book: SmallBook, server: Server) -> None:
    """The executed notebooks that a build writes must not start the next build."""
    server.wait(lambda: "<pre>6\n</pre>" in server.page())
    time.sleep(3)
    before = sum("Detected file changes" in line for line in server.lines)
    time.sleep(3)
    assert sum("Detected file changes" in line for line in server.lines) == before == 0
