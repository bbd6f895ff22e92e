"""Kernels forked from one warm process, so that NumPy and matplotlib are imported once a build and not once a chapter.

``python -m press.running.kernels FOLDER`` is that process. It imports nothing of the book, has one thread, and leads a
session of its own. For each line of its input, the path of a connection file as JSON, it answers with the number of the
process that serves it. When the input ends, because the build ended or was killed, or when the build asks by SIGTERM,
it kills its kernels, whatever these have started, daemons too, and itself, and removes FOLDER, where the connection
files are.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from press.children import can_fork, end_with_parent

WARM = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "ipykernel.debugger",  # a kernel imports it at its start, in a seventh of a second
    "IPython.core.completer",
    "IPython.core.debugger",
    "numpy",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_svg",
    "matplotlib_inline.backend_inline",
    "tabulate",
)

KERNEL_OPTIONS = (
    "--HistoryManager.enabled=False",  # kernels would wait for its file in turn
    "--IPKernelApp.extensions=press.running.asserting",
)

# A busy machine takes a minute for what takes seconds alone. A process that has ended is noticed at once.
START_LIMIT_S = 300.0

PR_SET_CHILD_SUBREAPER = 36


def can_fork_kernels() -> bool:
    """Whether kernels can be forked here; a kernel is watched by its pidfd, which Linux has from 5.3 on."""
    if not can_fork():
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


class KernelPool:
    """The build's end of the warm process."""

    def __init__(self, folder: str, *, cwd: str, env: dict[str, str], start_limit_s: float = START_LIMIT_S) -> None:
        self._limit_s = start_limit_s
        self._turn = asyncio.Lock()
        self._log = Path(folder, "kernels.log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "press.running.kernels", folder],
                cwd=cwd,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    async def kernel(self, connection_file: str) -> ForkedKernel:
        """Fork a kernel that serves a connection file."""
        assert self._process.stdin
        async with self._turn:  # so that the next answer is to this question
            with suppress(BrokenPipeError):  # the empty answer says it
                self._process.stdin.write(json.dumps(connection_file).encode() + b"\n")
                self._process.stdin.flush()
            answer = await self._answer()
        if not answer:
            raise RuntimeError(
                f"the process that forks kernels ended; PRESS_FORK=0 builds without it. {self.last_error()}"
            )
        return ForkedKernel(int(answer))

    async def _answer(self) -> bytes:
        """Return the next line of the process, nothing if it has ended."""
        assert self._process.stdout
        try:
            await asyncio.wait_for(_readable(self._process.stdout.fileno()), self._limit_s)
        except TimeoutError:
            raise RuntimeError(
                f"the process that forks kernels was not ready within {self._limit_s:g} s; "
                f"PRESS_FORK=0 builds without it. {self.last_error()}"
            ) from None
        return self._process.stdout.readline()

    def last_error(self) -> str:
        """Return the last line that the process or one of its kernels wrote to stderr before cells ran."""
        try:
            return self._log.read_text(errors="replace").strip().rpartition("\n")[2]
        except OSError:
            return ""

    def close(self) -> None:
        """End the process, all its kernels, and what these have started."""
        self._process.terminate()  # it may not be ready yet to see that its input ends
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            self._process.wait(self._limit_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


async def _readable(descriptor: int) -> None:
    """Wait until there is something to read."""
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)


class ForkedKernel:
    """What jupyter_client needs of a kernel's process, which here is the child of another process.

    It is held by a descriptor and not by its number, which another process may have soon after it has ended.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor: int | None = None
        with suppress(ProcessLookupError):
            self._descriptor = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """Return ``None`` while the kernel runs."""
        if self._descriptor is None:
            return 0
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return 0 if poll.poll(0) else None

    async def ended(self) -> None:
        """Wait until the kernel has ended, and let go of it."""
        if self._descriptor is not None:
            await _readable(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the kernel has ended."""
        if self._descriptor is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, number)

    def kill(self) -> None:
        """Kill the kernel."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the kernel to end."""
        self.send_signal(signal.SIGTERM)


class ForkedProvisioner(LocalProvisioner):
    """Starts kernels from a pool instead of with a new interpreter."""

    def __init__(self, pool: KernelPool, connection_file: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._pool = pool
        self._connection_file = connection_file

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Fork the kernel of the manager's connection file."""
        kernel = await self._pool.kernel(self._connection_file)
        self.process: Any = kernel
        self.pid = kernel.pid
        return self.connection_info

    async def wait(self) -> int:
        """Wait until the kernel has ended; jupyter_client would look every tenth of a second."""
        if self.process is not None:
            await self.process.ended()
        self.process = None
        return 0


def _serve_kernel(connection_file: str) -> None:
    """Be a kernel, in the child."""
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    os.environ["JPY_PARENT_PID"] = str(os.getppid())
    from ipykernel.kernelapp import IPKernelApp
    from IPython.core.pylabtools import activate_matplotlib
    from matplotlib_inline.backend_inline import configure_inline_support

    application = IPKernelApp.instance()
    application.initialize(["-f", connection_file, *KERNEL_OPTIONS])
    activate_matplotlib(os.environ["MPLBACKEND"])  # as importing pyplot in a kernel of its own would
    configure_inline_support(application.shell, os.environ["MPLBACKEND"])
    application.start()


def _warm_up() -> None:
    """Import what chapters import, and draw a first figure, for which matplotlib looks for its fonts."""
    for name in WARM:
        import_module(name)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    figure.add_subplot().set_title("$x$")
    FigureCanvasAgg(figure).draw()


def main() -> None:
    """Import what every chapter imports, then fork a kernel for each line of the input."""
    signal.signal(signal.SIGTERM, lambda *_: _end())
    _bind_family()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # nothing that a library prints may be taken for an answer
    log = os.fdopen(os.dup(2), "w", buffering=1)
    _warm_up()
    _join_threads()
    gc.freeze()  # the collector leaves alone what all kernels share
    gc.set_threshold(
        50_000
    )  # chapters build long lists of small tuples, and looking through them took a sixth of their time
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies
    try:
        for line in sys.stdin:
            pid = os.fork()
            if pid == 0:
                try:
                    os.close(answers.fileno())
                    _serve_kernel(json.loads(line))
                except BaseException:
                    traceback.print_exc(file=log)  # sys.stderr is the cells' by now
                finally:
                    os._exit(0)
            print(pid, file=answers)
    finally:  # also when the answer finds no reader, because the build was killed
        _end()


def _bind_family() -> None:
    """Have the system end this process with the build, and give it every process that loses its parent below it."""
    end_with_parent(signal.SIGTERM)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def _join_threads() -> None:
    """Wait for the threads that imports have left: a lock that one holds would never be free in a fork."""
    for thread in threading.enumerate():  # matplotlib's, which says that its list of fonts takes time
        if thread is not threading.main_thread():
            thread.join(10)


def _end() -> None:
    """Kill what was started here, however deep, then the whole session, this process with it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # each child is waited for, for then its own are children of this
    while killed := [child for child in psutil.Process().children() if _kill(child)]:
        psutil.wait_procs(killed)
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _kill(child: psutil.Process) -> bool:
    """Kill a process; return whether that could be done."""
    try:
        child.kill()
    except psutil.Error:  # it has ended, or is another user's
        return False
    return True


if __name__ == "__main__":
    main()
