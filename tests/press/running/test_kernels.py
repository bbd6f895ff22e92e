"""The process that forks kernels: what it answers, when it gives up, and what it calls ended."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from press.problems import Problem
from press.running.execute import _raise_if_stopped, _Stop
from press.running.kernels import ForkedKernel, KernelPool, _join_threads, can_fork_kernels

pytestmark = pytest.mark.skipif(not can_fork_kernels(), reason="kernels cannot be forked on this system")


def start(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch, *, limit_s: float = 300) -> KernelPool:
    """Return a pool whose process runs another program."""
    python = folder / "python"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{program}'\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    return KernelPool(str(folder), cwd=str(folder), env={}, start_limit_s=limit_s)


def test_a_pool_that_does_not_get_ready_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = start(tmp_path, "import time; time.sleep(1000)", monkeypatch, limit_s=0.1)
    with pytest.raises(RuntimeError, match=r"was not ready within 0\.1 s; PRESS_FORK=0 builds without it"):
        asyncio.run(silent.kernel("0.json"))
    silent.close()


def test_a_pool_that_ends_tells_what_it_said_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = start(tmp_path, 'raise ImportError("no such library")', monkeypatch)
    with pytest.raises(RuntimeError, match=r"ended; PRESS_FORK=0 builds without it\. ImportError: no such library"):
        asyncio.run(broken.kernel("0.json"))
    broken.close()


def test_waiting_for_the_pool_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = start(tmp_path, "import time; time.sleep(1000)", monkeypatch)

    async def stopped() -> None:
        asking = asyncio.ensure_future(silent.kernel("0.json"))
        await asyncio.sleep(0)
        asking.cancel()
        await asking

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stopped())
    silent.close()


def test_a_kernel_is_its_process_and_not_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    process = subprocess.Popen(["sleep", "1000"])
    kernel = ForkedKernel(process.pid)
    assert kernel.poll() is None
    kernel.kill()
    asyncio.run(kernel.ended())
    assert process.wait() == -signal.SIGKILL
    other = subprocess.Popen(["sleep", "1000"])
    kernel.pid = other.pid  # as if the number were used again
    kernel.kill()
    assert kernel.poll() == 0
    assert other.poll() is None
    other.kill()
    other.wait()


def test_a_kernel_that_has_ended_before_it_is_held() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    kernel = ForkedKernel(process.pid)
    kernel.kill()
    asyncio.run(kernel.ended())
    assert kernel.poll() == 0


def test_nothing_is_forked_beside_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    thread = threading.Thread(target=go_on.wait)
    thread.start()
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.main_thread(), thread])
    threading.Timer(0.05, go_on.set).start()
    _join_threads()
    assert not thread.is_alive()


def test_a_stopped_build_is_not_taken_for_a_dead_kernel() -> None:
    async def work() -> list[Problem]:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:  # as nbclient does
            _raise_if_stopped()
        return []

    with _Stop() as stop:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(SystemExit) as ended:
            stop.run(work())
    assert ended.value.code == 128 + signal.SIGTERM


def test_a_signal_between_chapters_ends_the_build() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    try:
        with _Stop(), pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_build_under_nohup_is_not_ended() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with _Stop():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
