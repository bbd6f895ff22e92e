"""Kernels forked from one warm process, so that NumPy and matplotlib are imported once a build and not once a chapter.

``python -m press.forge`` is that process: it reads a line of JSON for each kernel that is wanted and answers with the
kernel's process number. When its input ends, because the build ended or was killed, it kills its kernels and itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
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


def available() -> bool:
    """Whether kernels can be forked here: macOS's own libraries do not survive it, and Windows has no fork."""
    return sys.platform == "linux" and os.environ.get("PRESS_FORK", "1") != "0"


class Forge:
    """The build's end of the warm process."""

    def __init__(self, *, cwd: str, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "press.forge"],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
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
            raise RuntimeError("the process that forks kernels ended; PRESS_FORK=0 builds without it")
        return ForkedKernel(int(answer))

    def close(self) -> None:
        """End the process and all its kernels."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


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

    forge: Forge
    connection_file: str

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Fork the kernel of the manager's connection file."""
        kernel = self.forge.kernel(self.connection_file)
        self.process: Any = kernel
        self.pid = kernel.pid
        return self.connection_info


def _serve_kernel(connection_file: str) -> None:
    """Be a kernel, in the child."""
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
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
    application.initialize(["-f", connection_file])
    activate_matplotlib(os.environ["MPLBACKEND"])  # as importing pyplot in a kernel of its own would
    configure_inline_support(application.shell, os.environ["MPLBACKEND"])
    application.start()


def main() -> None:
    """Import what every chapter imports, then fork a kernel for each line of the input."""
    for name in WARM:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        for line in sys.stdin:
            pid = os.fork()
            if pid == 0:
                try:
                    _serve_kernel(json.loads(line))
                finally:
                    os._exit(0)
            print(pid, flush=True)
    finally:  # also when the answer finds no reader, because the build was killed
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
