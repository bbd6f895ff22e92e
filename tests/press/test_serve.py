"""``mkdocs serve``: problems stand in the terminal and in the page, the server stays up, and recovers."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from small_book import MKDOCS, SmallBook

pytestmark = pytest.mark.book

ONE = "chapters/part/01-one.md"
PATIENCE_S = 60


class Server:
    """A running ``mkdocs serve`` and what it has written to the terminal."""

    def __init__(self, root: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [*MKDOCS, "serve", "-a", f"127.0.0.1:{port}"]
        self.address = f"http://127.0.0.1:{port}/one-gradient/"
        self.process = subprocess.Popen(
            command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
        )
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines += iter(self.process.stdout.readline, "")

    def page(self) -> str:
        try:
            with urllib.request.urlopen(self.address + "part/01-one/", timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def wait(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert self.process.poll() is None, "the server went down:\n" + "".join(self.lines)
            assert time.monotonic() < end, "".join(self.lines) + re.sub(r"<[^>]+>", "", self.page())[-2000:]
            time.sleep(0.2)


@pytest.fixture
def server(small_book: SmallBook) -> Iterator[Server]:
    running = Server(small_book.root)
    yield running
    running.process.terminate()
    running.process.wait(10)


def test_a_problem_is_shown_and_its_mending_too(small_book: SmallBook, server: Server) -> None:
    server.wait(lambda: '<pre class="output-text">6</pre>' in server.page())
    small_book.replace(ONE, "print(total([1, 2, 3]))", "print(total([1, 2, 3]) / 0)")
    server.wait(lambda: "build-problems" in server.page())
    assert "ZeroDivisionError" in server.page()
    assert any(f"{ONE}:" in line and "ZeroDivisionError" in line for line in server.lines)
    small_book.replace(ONE, "total([1, 2, 3]) / 0", "total([1, 2, 4])")
    server.wait(lambda: '<pre class="output-text">7</pre>' in server.page())
    assert "build-problems" not in server.page()


def test_a_changed_snippet_reaches_the_page(small_book: SmallBook, server: Server) -> None:
    server.wait(lambda: '<pre class="output-text">6</pre>' in server.page())
    small_book.replace("sums/total.py", "sum(values)", "sum(values) + 10")
    server.wait(lambda: '<pre class="output-text">16</pre>' in server.page())


def test_it_starts_with_a_broken_book(small_book: SmallBook) -> None:
    small_book.replace(ONE, "print(total([1, 2, 3]))", "print(total([1, 2, 3]) / 0)")
    broken = Server(small_book.root)
    try:
        broken.wait(lambda: "build-problems" in broken.page())
        small_book.replace(ONE, "total([1, 2, 3]) / 0", "total([1, 2, 4])")
        broken.wait(lambda: '<pre class="output-text">7</pre>' in broken.page())
    finally:
        broken.process.terminate()
        broken.process.wait(10)


def test_it_comes_to_rest(small_book: SmallBook, server: Server) -> None:
    """The twins that a build writes must not start the next build."""
    server.wait(lambda: '<pre class="output-text">6</pre>' in server.page())
    time.sleep(3)
    before = sum("Detected file changes" in line for line in server.lines)
    time.sleep(3)
    assert sum("Detected file changes" in line for line in server.lines) == before == 0
