"""Where answers are judged: a warm process that forks a child for each, or, without fork, a new process for each."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from exercises.child import GRACE_S, Limits, verdict_from
from exercises.judging import Exercise, Verdict

ROOT = Path(__file__).parents[1]
START_S = 30.0  # a new process imports the grader before its time begins


class Sandbox:
    """Judges answers in child processes, one after another; use one for each thread."""

    def __init__(self, limits: Limits | None = None, *, fork: bool = hasattr(os, "fork")) -> None:
        self.limits = limits or Limits()
        self._fork = fork
        self._template: subprocess.Popen[str] | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def judge(self, folder: Path, exercise: Exercise, answers: Path) -> Verdict:
        """Judge the answer to an exercise of a folder that a file gives."""
        request = {
            "folder": str(folder),
            "name": exercise.name,
            "answers": str(answers),
            "limits": dataclasses.asdict(self.limits),
        }
        return self._forked(request, exercise.asked) if self._fork else self._spawned(request, exercise.asked)

    def _forked(self, request: Mapping[str, object], asked: str) -> Verdict:
        if self._template is None or self._template.poll() is not None:
            self._template = subprocess.Popen(
                _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=_environment()
            )
        asking, answering = self._template.stdin, self._template.stdout
        assert asking
        assert answering
        with contextlib.suppress(BrokenPipeError):
            asking.write(json.dumps(request) + "\n")
            asking.flush()
        if line := answering.readline():
            return Verdict(**json.loads(line))
        self.close()
        return Verdict("wrong", asked, "", "a result", "the grader's own process ended: please report this")

    def _spawned(self, request: Mapping[str, object], asked: str) -> Verdict:
        token, late = secrets.token_bytes(16), False
        line = json.dumps({**request, "token": token.hex()}) + "\n"
        child = subprocess.Popen(
            [*_COMMAND, "--once"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment()
        )
        try:
            sent, _ = child.communicate(line.encode(), timeout=START_S + self.limits.time_s + GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            sent, _ = child.communicate()
            late = True
        return verdict_from(sent, token, late=late, ended=child.returncode, limits=self.limits, asked=asked)

    def close(self) -> None:
        """End the warm process."""
        if self._template is not None:
            self._template.kill()
            self._template.communicate()
            self._template = None


_COMMAND = [sys.executable, "-m", "exercises.child"]


def _environment() -> dict[str, str]:
    """One thread for NumPy's products: a fork keeps one anyway, and each reserves memory."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
