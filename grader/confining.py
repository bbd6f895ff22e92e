"""What an answer may do: limits, and the refusal of what no answer needs. Both are set in its process, before it.

What Python announces (audit events) is refused by a hook, which Python has no call to take away, though whoever studies
it finds ways round it; what Python does without announcing it is replaced. Under Linux the kernel refuses the same
besides (``grader.system_calls``), to native code too.
What is not stopped is in ``docs/for-teachers.md``.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from grader.errors import PRINTED_CHARACTERS
from grader.system_calls import allow_reading, refuse_system_calls

ROOT = Path(__file__).parents[1]
GRACE_S = 1.0  # from the moment at which an answer is told that its time is over to that at which it is killed


LEAST_S, MOST_S = 0.1, 86_400
LEAST_MEMORY_BYTES, MOST_MEMORY_BYTES = 2**26, 2**40


@dataclass(frozen=True)
class Limits:
    """What an answer may use: seconds of the clock, bytes of memory beyond Python's own, characters printed.

    Raises:
        ValueError: a limit is too small for a right answer to be judged, or no number that the system can take.
    """

    time_s: float = 10.0
    memory_bytes: int = 2**30
    printed_characters: int = PRINTED_CHARACTERS

    def __post_init__(self) -> None:
        for name, least, most in (
            ("time_s", LEAST_S, MOST_S),
            ("memory_bytes", LEAST_MEMORY_BYTES, MOST_MEMORY_BYTES),
        ):
            if not least <= (value := getattr(self, name)) <= most:
                raise ValueError(f"{name} must be from {least} to {most}, got {value}")


def confine(limits: Limits) -> None:
    """Put this process, which will run an answer, under its limits; there is no way back."""
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.partition(".")[0] == "grader"]:
        del sys.modules[name]
    _limit(limits)
    _replace_what_is_not_announced()
    hook = _hook()
    refuse_system_calls()
    allow_reading([*_readable(), *_LIBRARIES])
    sys.addaudithook(hook)


def _limit(limits: Limits) -> None:
    with contextlib.suppress(ImportError):
        import resource

        seconds = math.ceil(limits.time_s + GRACE_S) * 2
        most = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CPU: seconds}
        with contextlib.suppress(
            OSError
        ):  # Linux tells what the process has already; elsewhere this limit fails anyway
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            most[resource.RLIMIT_AS] = used + limits.memory_bytes
        for kind, value in most.items():
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (value, value))


PROCESSES, FILES, READING, NETWORK, NATIVE, LIMITS = (
    "start processes",
    "write or change files",
    "read files but Python's own and the book's snippets",
    "use the network",
    "load native code",
    "change limits",
)
COMPILED = f"{NATIVE}: NumPy is there, other compiled packages such as SciPy are not"
_REFUSED = {
    **dict.fromkeys(("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system"), PROCESSES),
    **dict.fromkeys(("subprocess.Popen", "os.startfile", "os.startfile/2", "pty.spawn"), PROCESSES),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), "send signals"),
    **dict.fromkeys(("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link"), FILES),
    **dict.fromkeys(("os.symlink", "os.chmod", "os.chown", "os.chflags", "os.utime", "os.lockf"), FILES),
    **dict.fromkeys(("os.setxattr", "os.removexattr", "fcntl.flock", "fcntl.lockf"), FILES),
    **dict.fromkeys(("resource.setrlimit", "resource.prlimit"), LIMITS),
    **dict.fromkeys(("gc.get_objects", "gc.get_referrers", "gc.get_referents"), "look for other objects"),
}
_REFUSED_GROUPS = {"socket": NETWORK, "sqlite3": FILES, "ctypes": NATIVE, "syslog": FILES, "winreg": FILES}
_NOT_ANNOUNCED: dict[str, dict[str, tuple[str, ...]]] = {
    PROCESSES: {"_posixsubprocess": ("fork_exec",)},
    FILES: {"os": ("mkfifo", "mknod", "sendfile", "copy_file_range", "splice", "memfd_create", "sync")},
    "send signals": {"os": ("pidfd_open",), "signal": ("pidfd_send_signal",)},
    LIMITS: {"os": ("nice", "setpriority", "sched_setaffinity", "sched_setscheduler", "sched_setparam")},
}
_NEVER_IMPORTED = frozenset({"answers", "conftest", "exercises", "grader", "labs", "press", "tests"})
# Modules of Python's own that write files, start processes or undo the hook without announcing it.
_NATIVE_MODULES = frozenset(
    {"_ctypes_test", "_curses", "_dbm", "_gdbm", "_interpreters", "_multiprocessing", "_posixshmem", "_ssl"}
    | {"_testcapi", "_testinternalcapi", "_tkinter", "_xxsubinterpreters", "nis", "readline"}
)
# Where the libraries are that Python's own compiled modules load.
_LIBRARIES = (sys.base_prefix, "/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/opt/homebrew")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _replace_what_is_not_announced() -> None:
    for what, modules in _NOT_ANNOUNCED.items():

        def refused(*_: Any, what: str = what, **__: Any) -> NoReturn:
            raise PermissionError(f"an answer may not {what}")

        for name, functions in modules.items():
            for module in (name, "posix") if name == "os" else (name,):
                with contextlib.suppress(ImportError):
                    for function in functions:
                        if hasattr(loaded := importlib.import_module(module), function):
                            setattr(loaded, function, refused)


def _hook() -> Callable[[str, tuple[Any, ...]], None]:
    """Return the audit hook.

    What it decides by is its own, and it calls methods of Python's own texts alone: an answer can replace what stands
    in modules, and its texts may be of a class that lies.
    """
    readable = tuple(f"{path}{os.sep}" for path in _readable())
    hidden = tuple(f"{root / name}{os.sep}" for root in (ROOT, ROOT.resolve()) for name in _NEVER_IMPORTED)
    listable = frozenset([*_readable(), *sys.path])
    refused, groups = MappingProxyType(_REFUSED), MappingProxyType(_REFUSED_GROUPS)
    never, native, writes, above = _NEVER_IMPORTED, _NATIVE_MODULES, _WRITES, f"{os.sep}{os.pardir}"

    def may_read(path: Any) -> bool:
        text = str.__str__(path) if isinstance(path, str) else ""
        return text.startswith(readable) and not text.startswith(hidden) and above not in text

    def about_module(name: str, file: Any) -> str:
        package = str.partition(name, ".")[0]
        if name in native:
            raise ImportError(f"an answer may not import {name}")  # which those that could use it are prepared for
        if package in never:
            return f"import {package}"
        is_foreign = file and package != "numpy" and "-packages" in str(file)  # compiled, neither Python's nor NumPy's
        return COMPILED if is_foreign else ""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        what = refused.get(event) or groups.get(event.partition(".")[0], "")
        if event == "open":
            is_written = isinstance(arguments[2], int) and arguments[2] & writes
            what = FILES if is_written else "" if may_read(arguments[0]) else READING
        elif event == "import":
            what = about_module(arguments[0], arguments[1])
        elif event in ("os.listdir", "os.scandir"):
            what = "" if may_read(arguments[0]) or arguments[0] in listable else READING
        if what:
            raise PermissionError(f"an answer may not {what}")

    return hook


def _readable() -> list[str]:
    """Return the folders that answers may read: Python's own library, installed packages, the book's snippets."""
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    installed = [path for path in sys.path if path.rstrip(os.sep).endswith(("site-packages", "dist-packages"))]
    paths = [*own, *installed, str(ROOT / "snippets")]
    return sorted({*paths, *map(os.path.realpath, paths)})
