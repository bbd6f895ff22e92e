"""Kernels forked from one warm process, so that NumPy and matplotlib are imported once a build and not once a chapter.

``python -m press.forge FOLDER`` is that process. It imports nothing of the book, has one thread, and leads a session of
its own. For each line of its input, the path of a connection file as JSON, it answers with the number of the process
that serves it. When the input ends, because the build ended or was killed, it kills its kernels, whatever these have
started, and itself, and removes FOLDER, where the connection files are.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from jupyter_client.provisioning.local_provisioner import LocalProvisioner

WARM = (
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "IPython.core.completer",
    "numpy",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_svg",
    "matplotlib_inline.backend_inline",
)

# No history file, for which kernels would wait in turn.
KERNEL_OPTIONS = ("--HistoryManager.enabled=False",)


def available() -> bool:
    """Whether kernels can be forked here: macOS's own libraries do not survive it, and Windows has no fork."""
    return sys.platform == "linux" and os.environ.get("PRESS_FORK", "1") != "0"


class Forge:
    """The build's end of the warm process."""

    def __init__(self, folder: str, *, cwd: str, env: dict[str, str]) -> None:
        self._log = Path(folder, "forge.log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "press.forge", folder],
                cwd=cwd,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def kernel(self, connection_file: str) -> ForkedKernel:
        """Fork a kernel that serves a connection file."""
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):  # the empty answer says it
            self._process.stdin.write(json.dumps(connection_file).encode() + b"\n")
            self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            said = self._log.read_text(errors="replace").strip().rpartition("\n")[2] if self._log.exists() else ""
            raise RuntimeError(f"the process that forks kernels ended; PRESS_FORK=0 builds without it. {said}".strip())
        return ForkedKernel(int(answer))

    def close(self) -> None:
        """End the process and all its kernels."""
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class ForkedKernel:
    """What jupyter_client needs of a kernel's process, which here is the child of another process."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return ``None`` while the kernel runs. The forge leaves no zombies, so a signal tells."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        """Wait until the kernel has ended."""
        while self.poll() is None:
            time.sleep(0.005)
        return 0

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the kernel has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the kernel."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the kernel to end."""
        self.send_signal(signal.SIGTERM)


class ForkedProvisioner(LocalProvisioner):
    """Starts kernels with a forge instead of a new interpreter."""

    def __init__(self, forge: Forge, connection_file: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._forge = forge
        self._connection_file = connection_file

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Fork the kernel of the manager's connection file."""
        kernel = self._forge.kernel(self._connection_file)
        self.process: Any = kernel
        self.pid = kernel.pid
        return self.connection_info

    async def wait(self) -> int:
        """Wait until the kernel has ended, looking oftener than jupyter_client does."""
        while self.process is not None and self.process.poll() is None:
            await asyncio.sleep(0.002)
        self.process = None
        return 0


def _serve_kernel(connection_file: str) -> None:
    """Be a kernel, in the child."""
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
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
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # nothing that a library prints may be taken for an answer
    _warm_up()
    gc.freeze()  # the collector leaves alone what all kernels share
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies: a kernel's number is gone as soon as it has ended
    kernels = []
    try:
        for line in sys.stdin:
            pid = os.fork()
            if pid == 0:
                try:
                    os.close(answers.fileno())
                    _serve_kernel(json.loads(line))
                finally:
                    os._exit(0)
            kernels.append(pid)
            print(pid, file=answers)
    finally:  # also when the answer finds no reader, because the build was killed
        _end(kernels)


def _end(kernels: Sequence[int]) -> None:
    """Kill the kernels and wait for them, then the whole session, this process with it."""
    for pid in kernels:
        ForkedKernel(pid).kill()
    with suppress(ChildProcessError):
        os.waitpid(-1, 0)  # returns, by this error, when the last child has ended
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
