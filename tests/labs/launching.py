"""How the labs are launched, read and ended: on free ports, with nothing left running.

A cold launch is a reader's: the program torchrun, which starts an interpreter for each rank. A warm one is forked from
a process that has imported PyTorch (``warm.py``), and takes a fraction of the time.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from warm import WarmLaunch, WarmTorchrun, available

ROOT = Path(__file__).parents[2]
INSTALL = "needs PyTorch: pip install -r requirements-labs.txt"
WRONG = Path(__file__).parent / "programs" / "wrong_formula.py"


@dataclass(frozen=True)
class Outcome:
    """What a launched lab left: exit code, output, and the table by its first column."""

    code: int
    out: str
    error: str

    @property
    def rows(self) -> dict[str, dict[str, str]]:
        """Rows of the table: ``rows["result"]["agree"]``."""
        lines = [[cell.strip() for cell in line.split(" | ")] for line in self.out.splitlines() if " | " in line]
        if not lines:
            return {}
        head, *body = lines
        return {row[0]: dict(zip(head, row + [""] * (len(head) - len(row)), strict=True)) for row in body}

    def assert_agrees(self) -> None:
        """Every count agrees on every rank, and the lab said so by its exit code."""
        assert self.code == 0, self.out + self.error
        assert self.rows, self.out + self.error
        assert all(row["agree"] == "yes" or row["agree"].startswith("×") for row in self.rows.values()), self.out

    def assert_not_applicable(self) -> None:
        """The lab said why its subject says nothing here, and called that no failure."""
        assert self.code == 0, self.out + self.error
        assert "not applicable: needs" in self.out, self.out


def documented_command(lab: str) -> list[str]:
    """Return the command in a lab's docstring: ``torchrun --standalone --nproc-per-node 4 labs/….py``."""
    found = re.search(r"torchrun [^`\"\n]*" + re.escape(lab) + r"[^`\"\n]*", (ROOT / lab).read_text(encoding="utf-8"))
    assert found, f"the docstring of {lab} has to say how torchrun starts it"
    return shlex.split(found.group())


def marked(mark: str) -> list[psutil.Process]:
    """Return the running processes that carry a launch's mark in their environment, torchrun's workers included."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("LABS_LAUNCH") == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.AccessDenied, psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found


class Launcher:
    """Starts torchrun as the lab's docstring says, and ends what it started."""

    def __init__(self, warm: WarmTorchrun) -> None:
        self.warm = warm
        self.mark = uuid.uuid4().hex
        self.started: list[subprocess.Popen[str] | WarmLaunch] = []

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        """Return the environment of a launch, with the mark by which its processes are found."""
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        marked_environment = {
            "OMP_NUM_THREADS": "1",
            "LABS_LAUNCH": self.mark,
            "PYTHONPATH": path,
            "PYTHONUNBUFFERED": "1",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        return {**os.environ, **marked_environment, **more}

    def start(self, command: list[str], **environment: str) -> subprocess.Popen[str]:
        """Start a command, cold, in a process group of its own."""
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environment(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def fork(self, command: list[str], **environment: str) -> WarmLaunch:
        """Start torchrun, warm, in a process group of its own."""
        process = self.warm.launch(command, cwd=ROOT, environment=self.environment(environment))
        self.started.append(process)
        return process

    def finish(self, process: subprocess.Popen[str] | WarmLaunch, *, within_s: float) -> Outcome:
        """Wait for a command; nothing that it started may outlive it."""
        try:
            out, error = process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            self.end()
            out, error = process.communicate()
            pytest.fail(f"not finished within {within_s:g} s:\n{out}{error}")
        assert process.returncode is not None
        return Outcome(process.returncode, out, error)

    def run(self, command: list[str], *, cold: bool = False, within_s: float = 120, **environment: str) -> Outcome:
        """Run torchrun to its end, warm where that is possible."""
        begin = self.start if cold or not available() else self.fork
        outcome = self.finish(begin(command, **environment), within_s=within_s)
        assert not self.left(), f"left running: {self.left()}"
        return outcome

    def __call__(
        self,
        lab: str,
        *arguments: str,
        ranks: int,
        wrong: str | None = None,
        cold: bool = False,
        within_s: float = 120,
        **environment: str,
    ) -> Outcome:
        """Run a lab with the command of its docstring, but for the number of ranks.

        Args:
            lab: its path from the root: ``"labs/collectives/primitives.py"``.
            arguments: more of its options.
            ranks: number of ranks.
            wrong: a formula, ``"module:name"``, whose results are spoiled for this run.
            cold: launch it as a reader does.
            within_s: the test fails if it takes longer.
            environment: more variables.
        """
        command = documented_command(lab)
        where = command.index("--nproc-per-node") + 1
        command[where] = str(ranks)
        if "--standalone" not in command and not any(part.startswith("--rdzv") for part in command):
            command[where + 1 : where + 1] = ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
        if wrong:
            command[command.index(lab) : command.index(lab) + 1] = [str(WRONG), wrong, lab]
        return self.run([*command, *arguments], cold=cold, within_s=within_s, **environment)

    def left(self) -> list[psutil.Process]:
        """Return what still runs of all that this launcher started, after a moment to end."""
        _, alive = psutil.wait_procs(marked(self.mark), timeout=5)
        return alive

    def end(self) -> None:
        """Kill what still runs: torchrun first, for it would start the workers again."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        for orphan in marked(self.mark):
            orphan.kill()


class Node(NamedTuple):
    """A node of a cluster on one machine: what its commands begin with, its address, its interface."""

    enter: tuple[str, ...]
    address: str
    interface: str


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def two_nodes(network: str) -> Iterator[tuple[Node, Node]]:
    """Lay out two nodes: on the loopback, or, where the machine allows it, in two network namespaces with a cable."""
    loopback = next(name for _, name in socket.if_nameindex() if name.startswith("lo"))
    if network == "loopback":
        yield Node((), "127.0.0.1", loopback), Node((), "127.0.0.1", loopback)
        return
    names = [f"labs-{uuid.uuid4().hex[:8]}-{node}" for node in range(2)]
    nodes = [
        Node(("ip", "netns", "exec", name), f"10.213.7.{number}", "cable") for number, name in enumerate(names, start=1)
    ]
    try:
        for name in names:
            _ip(f"netns add {name}")
        _ip(f"link add cable netns {names[0]} type veth peer name cable netns {names[1]}")
        for name, node in zip(names, nodes, strict=True):
            _ip(f"-n {name} addr add {node.address}/24 dev cable")
            _ip(f"-n {name} link set cable up")
            _ip(f"-n {name} link set lo up")
        yield nodes[0], nodes[1]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def _ip(arguments: str) -> None:
    """Run ``ip``, or skip the test where that is not allowed: the loopback has shown the same but for the addresses."""
    try:
        done = subprocess.run(["ip", *arguments.split()], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("network namespaces need the program ip (Debian: apt install iproute2)")
    if done.returncode:
        pytest.skip(f"network namespaces are not allowed here: ip {arguments}: {done.stderr.strip()}")
