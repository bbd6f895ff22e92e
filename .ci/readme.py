"""Runs the README's two commands as they are printed, with nothing else at hand: no PyTorch, Node, Chromium, git.

The first makes an environment, installs the book and serves it, and is stopped when the first page has answered; the
second is ``pytest`` in that environment. Both run in a shell whose PATH leads to Python and the system's own programs.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_THERE = re.compile(r"git|gh|node|npm|npx|corepack|chrom|google-chrome|torchrun|pip\d?|uv|conda", re.IGNORECASE)
PATIENCE_S = 900


def commands() -> tuple[str, str, str]:
    """Return what the README says: the line that installs and serves, the address, and what runs the tests."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    start = re.search(r"serves it at\n?\s*<(http://\S+)>:\n\n```sh\n(.+)\n```", text)
    tests = re.search(r"^\| run the tests \| `(.+)` \|$", text, re.MULTILINE)
    if not start or not tests:
        sys.exit(
            "README.md:1: the command that serves the book, its address or the one that runs the tests is not found"
        )
    return start[2], start[1], tests[1]


def bare_environment(folder: Path) -> dict[str, str]:
    """Return an environment whose PATH has Python and the system's programs, but none that the README does not name."""
    python = folder / "python3"  # no link: the environment that it makes would lead here, and outlives this folder
    python.write_text(f'#!/bin/sh\nexec "{Path(sys.executable).resolve()}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    for system in ("/usr/bin", "/bin"):
        for program in Path(system).iterdir():
            link = folder / program.name
            if not NOT_THERE.match(program.name) and not program.name.startswith("python") and not link.exists():
                link.symlink_to(program)
    dropped = re.compile(r"CI|BOOK_.*|PYTHON.*|PYTEST_.*|VIRTUAL_ENV|PRESS_.*")
    kept = {name: value for name, value in os.environ.items() if not dropped.fullmatch(name)}
    for program in ("git", "node", "npm", "chromium", "google-chrome", "torchrun"):
        assert not shutil.which(program, path=str(folder)), f"{program} is in the PATH"
    return {**kept, "PATH": str(folder)}


def serve(command: str, address: str, environment: dict[str, str]) -> None:
    """Run the command that serves the book until its first page answers, then end it and what it has started."""
    print(f"$ {command}", flush=True)
    process = subprocess.Popen(["bash", "-c", command], cwd=ROOT, env=environment, start_new_session=True)
    end = time.monotonic() + PATIENCE_S
    try:
        while not _answers(address):
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the README's first command does not serve {address}: it ended with {process.poll()}")
            time.sleep(0.5)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)  # SIGINT is ignored by what is started from the background
    process.wait(60)
    print(f"{address} answers; stopped.", flush=True)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return b"Many Machines, One Gradient" in answer.read()
    except OSError:
        return False


def main() -> None:
    """Run both commands, the second in the environment that the first has made."""
    if (ROOT / ".venv").exists():
        sys.exit(
            f"{ROOT / '.venv'} is there: the README's commands are tried in a fresh clone. Other stages: .ci/run checks"
        )
    start, address, tests = commands()
    with tempfile.TemporaryDirectory() as folder:
        environment = bare_environment(Path(folder))
        serve(start, address, environment)
        print(f"$ {tests}", flush=True)
        done = subprocess.run(["bash", "-c", f". .venv/bin/activate && {tests}"], cwd=ROOT, env=environment)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
