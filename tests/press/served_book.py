"""A running ``mkdocs serve`` of a small book, to be looked at while files are saved."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from small_book import MKDOCS

PATIENCE_S = 300


class Server:
    """A running ``mkdocs serve`` and what it has written to the terminal."""

    def __init__(self, root: Path, environment: Mapping[str, str] | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = [*MKDOCS, "serve", "-a", f"127.0.0.1:{port}"]
        self.address = f"http://127.0.0.1:{port}/one-gradient/"
        self.process = subprocess.Popen(
            command,
            cwd=root,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        )
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines += iter(self.process.stdout.readline, "")

    @property
    def builds(self) -> int:
        """How many builds have begun."""
        return sum("Building documentation" in line for line in self.lines)

    def page(self, name: str = "part/01-one") -> str:
        try:
            with urllib.request.urlopen(f"{self.address}{name}/", timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def wait(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert self.process.poll() is None, "the server went down:\n" + "".join(self.lines)
            assert time.monotonic() < end, "".join(self.lines) + re.sub(r"<[^>]+>", "", self.page())[-2000:]
            time.sleep(0.2)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)
