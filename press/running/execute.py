"""Executes stale chapters, several at once, each into the notebook that stands beside it.

Cells run with the book's root as working directory and first on ``sys.path``, in an environment of their own: the
reader's IPython, Jupyter and matplotlib settings do not count, arithmetic runs on one thread, hashes are not random,
and what would differ from run to run (addresses of objects, names of temporary files) is cut out of the outputs, so
that the same chapter gives the same bytes.

An executed notebook remembers, under ``press`` in its metadata: ``source``, the digest of the chapter's whole text;
``digest``, that of all that its outputs depend on (see ``press.running.freshness``); ``inputs``, that of the cells as
the press wrote them, by which edits are noticed; ``content``, that of cells and outputs, by which a spoiled one is
noticed.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from queue import Empty
from typing import Any

from press.children import Stopped, cores, stopped
from press.kept import KeptFolder
from press.problems import Problem
from press.reading.chapter import BrokenChapter, Chapter, read_chapter
from press.reading.files import why_unwritable
from press.running import cells
from press.running.cells import cell_findings
from press.running.freshness import Freshness, fingerprint
from press.running.outputs import cleaned, output_findings

PART = ".press-part"
LONGEST_MESSAGE = 400
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
# Of the caller's environment, what changes what cells do: asserts off, warnings, colours, widths, settings.
_NOT_PASSED_ON = re.compile(
    r"PYTHON(STARTUP|OPTIMIZE|WARNINGS|INSPECT|DEVMODE|SAFEPATH|IOENCODING|BREAKPOINT)|NO_COLOR|FORCE_COLOR|COLUMNS|LINES"
    r"|(IPYTHON|IPYKERNEL|JUPYTER|JPY_|MPL|MATPLOTLIB).*"
)


def execute_chapters(
    chapters: Sequence[Path],
    *,
    root: Path,
    freshness: Freshness | None = None,
    jobs: int | None = None,
    cell_timeout_s: float = 60.0,
    report: Callable[[str], None] = print,
) -> list[Problem]:
    """Bring every executed notebook up to date and return what went wrong; nothing fresh is run or written.

    Args:
        chapters: paths of Jupytext Markdown files below ``root``.
        root: the book's folder.
        freshness: what is known of the book's modules in this build; looked up if not given.
        jobs: how many chapters run at once; one more than there are cores for this process if not given.
        cell_timeout_s: how long a cell may run; a cell's own ``timeout`` goes before.
        report: called with a line of progress for each chapter that was executed, and for each notebook set aside.
    """
    root = root.absolute()
    _sweep(root)
    freshness = freshness or Freshness(root)
    seen = KeptFolder(root / ".press" / "seen", [Path(__file__).read_bytes(), Path(cells.__file__).read_bytes()])
    stale: list[_Work] = []
    problems: list[Problem] = []
    with _Stop() as stop, ExitStack() as stack:
        for path in chapters:
            chapter = read_chapter(path.absolute(), root=root)
            try:
                work = _work(chapter, freshness, seen)
                if work is None:
                    continue
                assert work.chapter.cells  # read, so that a chapter whose places are in doubt is not run
            except BrokenChapter as error:
                problems += error.problems
                continue
            except OSError as error:
                message = f"{error.filename}, on which the chapter depends, cannot be read: {error.strerror}"
                problems.append(Problem(chapter.name, 1, message))
                continue
            if work.outputs is not None:
                problems += _write_executed(work, _with_outputs(work.chapter.notebook, work.outputs), report)
                continue
            if not stale:
                kernels = stack.enter_context(_kernels(root))  # gets ready while the other chapters are read
            stale.append(work)
        if stale:

            def write(number: int) -> list[Problem]:
                return _write_executed(stale[number], stale[number].chapter.notebook, report)

            ran = _execute([work.chapter for work in stale], kernels, jobs or _at_once(), cell_timeout_s, report, write)
            problems += stop.run(ran)
    seen.sweep()
    return sorted(problems)


def run_chapters(
    chapters: Sequence[Chapter], *, root: Path, jobs: int | None, cell_timeout_s: float, report: Callable[[str], None]
) -> list[Problem]:
    """Run chapters, put the outputs into their notebooks, and return what went wrong; no file is written."""
    with _Stop() as stop, _kernels(root) as kernels:
        ran = _execute(chapters, kernels, jobs or _at_once(), cell_timeout_s, report, lambda _: [])
        return sorted(stop.run(ran))


def _at_once() -> int:
    """Return how many chapters run at once: one more than there are cores, for kernels wait for the build in turn."""
    return cores() + 1


class _Stop:
    """Lets SIGTERM and SIGHUP end the build as Ctrl+C does, by an exception, so that it ends what it has started."""

    def __init__(self) -> None:
        self._number = 0
        self._task: asyncio.Task[Any] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Stop:
        if threading.current_thread() is threading.main_thread():
            numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
            before = {number: signal.getsignal(number) for number in numbers}
            self._before = {number: how for number, how in before.items() if how in (signal.SIG_DFL, stopped)}
        for number in self._before:  # not for one that is ignored, as under nohup
            signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        for number, how in self._before.items():
            signal.signal(number, how)

    def run(self, work: Coroutine[Any, Any, list[Problem]]) -> list[Problem]:
        """Do as ``asyncio.run``; an exception out of a signal would leave its loop in disorder, so it cancels."""

        async def stoppable() -> list[Problem]:
            self._task = asyncio.current_task()
            return await work

        try:
            return asyncio.run(stoppable())
        except asyncio.CancelledError:
            return []
        finally:
            self._task = None
            if self._number:
                raise Stopped(128 + self._number)

    def _stop(self, number: int, _: object) -> None:
        self._number = number
        if self._task is None:
            raise Stopped(128 + number)  # what a shell makes of a process that a signal has ended
        if not self._task.done():
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)


def _sweep(root: Path) -> None:
    """Remove what killed builds have left behind."""
    for leftover in [*root.glob(f"chapters/**/*{PART}"), *root.glob(".press/matplotlib/*.matplotlib-lock")]:
        leftover.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Work:
    """A chapter whose notebook has to be written: with its old outputs where only prose changed, else by running it."""

    chapter: Chapter
    digest: str
    outputs: list[Any] | None


def _work(chapter: Chapter, freshness: Freshness, seen: KeptFolder) -> _Work | None:
    """Return what there is to do for a chapter, or ``None`` if its executed notebook is fresh.

    Args:
        chapter: which.
        freshness: what is known of the book's modules in this build.
        seen: code and digest of chapters whose text and notebook were found to agree, by these two files' contents; it
            is much shorter than the notebook, which is then not taken apart again.

    Raises:
        BrokenChapter: the chapter cannot be read, or its cells would not do what they say.
        OSError: a file that it depends on cannot be read.
    """
    notebook = chapter.executed_notebook
    key = seen.key(chapter.text.encode(), notebook.read_bytes() if notebook.is_file() else b"")
    if known := seen.read(key):
        code, digest = json.loads(known)
        if freshness.digest(code, chapter.inputs) == digest:
            return None
    executed = read_executed(notebook)
    record = _record(executed)
    source = sha256(chapter.text.encode()).hexdigest()
    whole = executed is not None and record.get("content") == fingerprint(executed["cells"], outputs=True)
    same = executed is not None and whole and record.get("source") == source
    found = executed["cells"] if executed and same else chapter.notebook.cells  # this one is read without Jupytext
    findings = list(cell_findings(found))
    if findings:
        places = chapter.cells
        raise BrokenChapter(
            *(Problem(chapter.name, places[index].line + line, message) for index, line, message in findings)
        )
    code = [(_text(cell["source"]), _tags(cell)) for cell in found if cell["cell_type"] == "code"]
    digest = freshness.digest(code, chapter.inputs)
    if not (executed and whole and record.get("digest") == digest):
        return _Work(chapter, digest, None)
    if same:
        seen.write(key, json.dumps([code, digest]).encode())
        return None
    outputs = [(cell["outputs"], cell["execution_count"]) for cell in executed["cells"] if cell["cell_type"] == "code"]
    return _Work(chapter, digest, outputs)


def read_executed(path: Path) -> dict[str, Any] | None:
    """Return the notebook as JSON; ``None`` if there is none or it is not readable."""
    if not path.is_file():  # a pipe would never end
        return None
    try:
        executed = json.loads(path.read_text(encoding="utf-8"))
        readable = all({"cell_type", "source", "metadata"} <= cell.keys() for cell in executed["cells"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return executed if readable else None


def _record(executed: dict[str, Any] | None) -> dict[str, Any]:
    """Return what the press noted in an executed notebook when it wrote it."""
    record = executed.get("metadata", {}).get("press", {}) if executed else {}
    return record if isinstance(record, dict) else {}


def _text(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _tags(cell: Any) -> list[str]:
    return cell["metadata"].get("tags", [])


def _set_aside(chapter: Chapter, report: Callable[[str], None]) -> None:
    """Move an executed notebook aside if somebody wrote in it what the chapter, as it now stands, does not hold."""
    if not chapter.executed_notebook.exists():
        return
    executed = read_executed(chapter.executed_notebook)
    if executed is not None:
        written = fingerprint(executed["cells"], outputs=False)
        if written == _record(executed).get("inputs") or written == _fingerprint_of_file(chapter):
            return
    number = 1
    while (kept := chapter.executed_notebook.with_suffix(f".kept-{number}.ipynb")).exists():
        number += 1
    chapter.executed_notebook.rename(kept)
    report(
        f"{chapter.name}: the notebook beside it was edited; your copy is kept as {kept.name}. To make it the chapter, "
        f"in place of what {chapter.path.name} now says: jupytext --to md --output {chapter.path.name} {kept.name}"
    )


def _fingerprint_of_file(chapter: Chapter) -> str | None:
    """Return the fingerprint of the chapter as it is on disk now; it may have been saved while its cells ran."""
    try:
        return fingerprint(read_chapter(chapter.path, root=chapter.root).notebook.cells, outputs=False)
    except BrokenChapter:
        return None


def _with_outputs(notebook: Any, outputs: Sequence[Any]) -> Any:
    """Put outputs into a notebook's code cells, in order."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, (shown, count) in zip(code, outputs, strict=True):
        cell["outputs"], cell["execution_count"] = shown, count
    return notebook


def _write_executed(work: _Work, notebook: Any, report: Callable[[str], None]) -> list[Problem]:
    """Write an executed notebook, and return what kept it from being written."""
    cells = notebook["cells"]
    notebook["metadata"]["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook["metadata"]["language_info"] = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
    notebook["metadata"]["press"] = {
        "content": fingerprint(cells, outputs=True),
        "digest": work.digest,
        "inputs": fingerprint(cells, outputs=False),
        "source": sha256(work.chapter.text.encode()).hexdigest(),
    }
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    try:
        _replace_executed(work.chapter, text, report)
    except OSError as error:
        if not work.chapter.path.exists():
            message = "the chapter's file is gone: it was renamed or removed after the build had read it"
        else:
            message = why_unwritable(error) or f"the notebook beside the chapter cannot be written: {error}"
        return [Problem(work.chapter.name, 1, message)]
    return []


def _replace_executed(chapter: Chapter, text: str, report: Callable[[str], None]) -> None:
    """Write the whole notebook or nothing, as old as its chapter so that Jupytext sees neither as newer."""
    temporary = chapter.executed_notebook.with_name(f"{chapter.executed_notebook.stem}.{os.getpid()}{PART}")
    try:
        while True:
            age = chapter.path.stat().st_mtime_ns  # raises if the chapter has gone, so this ends
            temporary.write_text(text, encoding="utf-8", newline="\n")
            with suppress(FileNotFoundError):  # another build has just swept it away
                os.utime(temporary, ns=(age, age))
                _set_aside(chapter, report)
                temporary.replace(chapter.executed_notebook)
                return
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


async def _execute(
    chapters: Sequence[Chapter],
    kernels: Kernels,
    jobs: int,
    cell_timeout_s: float,
    report: Callable[[str], None],
    write: Callable[[int], list[Problem]],
) -> list[Problem]:
    """Run the chapters, ``jobs`` at a time, and write each, by its number, when it has run."""
    places = asyncio.Semaphore(jobs)
    done = 0

    async def run(number: int, chapter: Chapter) -> list[Problem]:
        nonlocal done
        async with places:
            began = time.monotonic()
            try:
                problems = await _run(chapter, kernels, number, cell_timeout_s) or write(number)
            except Exception as error:  # the other chapters go on
                problems = [Problem(chapter.name, 1, f"could not be executed: {type(error).__name__}: {error}")]
            done += 1
            state = "failed" if problems else "executed"
            took = time.monotonic() - began
            report(f"{state} {chapter.name} in {took:.1f} s ({done} of {len(chapters)})")
            return problems

    found = await asyncio.gather(*(run(number, chapter) for number, chapter in enumerate(chapters)))
    return [problem for problems in found for problem in problems]


async def _run(chapter: Chapter, kernels: Kernels, place: int, cell_timeout_s: float) -> list[Problem]:
    """Run the cells of one chapter, up to the first that fails, and put the outputs into its notebook."""
    from press.running.client import LimitedClient

    notebook = chapter.notebook

    def limit_s(cell: Any) -> float:
        return cell.metadata.get("timeout", cell_timeout_s)

    async with kernels.kernel(place) as (manager, connection):
        client = LimitedClient(
            notebook,
            km=manager,
            timeout_func=limit_s,
            iopub_timeout=60,  # a busy machine may deliver outputs late; without the next line they would be dropped
            raise_on_iopub_timeout=True,
            record_timing=False,
        )
        client.kc = connection
        number = 0
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or not cell.source.strip() or "skip-execution" in _tags(cell):
                continue
            number += 1
            try:
                await client.async_execute_cell(cell, index, execution_count=number)
            except Exception as error:
                _raise_if_stopped()
                return [_problem(chapter, index, number, error, limit_s(cell))]
    problems = []
    for cell, written in zip(notebook.cells, chapter.cells, strict=True):
        if cell.cell_type == "code":  # only now, for a later cell may have changed what an earlier one shows
            cell.outputs = cleaned(cell.outputs, chapter.root)
            messages = [f"cell {cell.execution_count} {finding}" for finding in output_findings(cell.outputs)]
            problems += [Problem(chapter.name, written.line, message) for message in messages]
    return problems


def _raise_if_stopped() -> None:
    """Go on ending a build that is stopped: nbclient takes being cancelled for a kernel that has died."""
    task = asyncio.current_task()
    if task and task.cancelling():
        raise asyncio.CancelledError


def _problem(chapter: Chapter, index: int, number: int, error: Exception, limit_s: float) -> Problem:
    """Say what became of a cell, on the line of the chapter where it happened."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    from press.running.client import TooMuchShown

    line = chapter.cells[index].line
    if isinstance(error, CellTimeoutError):
        return Problem(chapter.name, line, f"cell {number} took longer than its {limit_s:g} s limit")
    if isinstance(error, TooMuchShown):
        return Problem(chapter.name, line, f"cell {number} {error}")
    if isinstance(error, DeadKernelError):
        return Problem(chapter.name, line, f"cell {number} ended the kernel (killed, out of memory, or os._exit)")
    if isinstance(error, CellExecutionError):
        inside = re.search(rf"Cell In ?\[{number}\], line (\d+)", _ESCAPES.sub("", error.traceback))
        line += int(inside[1]) - 1 if inside else 0
        value = " ".join(_ESCAPES.sub("", error.evalue).split())
        value = value if len(value) <= LONGEST_MESSAGE else f"{value[:LONGEST_MESSAGE]}…"
        return Problem(chapter.name, line, f"cell {number} raised {error.ename}: {value}".removesuffix(": "))
    return Problem(chapter.name, line, f"cell {number} could not be run: {type(error).__name__}: {error}")


class Kernels:
    """Starts kernels: forked ones where that works, else of the interpreter that runs the build."""

    def __init__(self, root: Path, folder: str) -> None:
        from press.running.kernels import KernelPool, can_fork_kernels

        self._root = root
        self._folder = folder
        self._environment = _environment(root, folder)
        self._pool = KernelPool(folder, cwd=str(root), env=self._environment) if can_fork_kernels() else None

    @asynccontextmanager
    async def kernel(self, number: int) -> AsyncIterator[tuple[Any, Any]]:
        """Start a kernel and yield its manager and a client that is connected; kill it afterwards."""
        manager = self._manager(number)
        client = None
        try:
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            await manager.start_kernel(env=self._environment, cwd=str(self._root), **quiet)
            try:
                client = manager.client()
                client.start_channels()
                client.allow_stdin = False
                await _connected(client)
            except _NoKernel as error:
                reason = self._pool.last_error() if self._pool else ""
                raise RuntimeError(f"{error}. {reason}".removesuffix(". ")) from None
            yield manager, client
        finally:
            if client is not None:
                client.stop_channels()
            if manager.has_kernel:  # killed at once: the manager alone would look only every tenth of a second
                await manager.provisioner.kill()
                await manager.provisioner.wait()
            await manager.shutdown_kernel(now=True)

    def _manager(self, number: int) -> Any:
        """Return a manager of a kernel that is not yet started."""
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import AsyncKernelManager

        from press.running.kernels import KERNEL_OPTIONS, ForkedProvisioner

        manager = AsyncKernelManager(connection_file=f"{self._folder}/{number}.json")
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", *KERNEL_OPTIONS]
        manager._kernel_spec = KernelSpec(argv=command, language="python", display_name="Python 3")
        if os.name == "posix":
            manager.transport, manager.ip = "ipc", f"{self._folder}/{number}"
        if self._pool:
            manager.provisioner = ForkedProvisioner(
                self._pool, manager.connection_file, parent=manager, kernel_spec=manager._kernel_spec
            )
        return manager

    def close(self) -> None:
        """End all kernels."""
        if self._pool:
            self._pool.close()


class _NoKernel(Exception):
    """A kernel that did not start; the text says what became of it."""


async def _connected(client: Any) -> None:
    """Wait until a kernel answers and its outputs arrive; without that the first cell's could be missed."""
    from press.running.kernels import START_LIMIT_S

    end = time.monotonic() + START_LIMIT_S
    asked = set()
    while time.monotonic() < end:
        asked.add(client.kernel_info())
        try:
            while (await client.get_iopub_msg(timeout=0.5))["parent_header"].get("msg_id") not in asked:
                pass
            return
        except Empty:
            if not await client.is_alive():
                raise _NoKernel("the kernel ended at its start") from None
    raise _NoKernel(f"the kernel did not answer within {START_LIMIT_S:g} s")


@contextmanager
def _kernels(root: Path) -> Iterator[Kernels]:
    """Open the kernels of one build, with a folder for their connections and empty settings."""
    default = tempfile.gettempdir()
    short = "/tmp" if os.name == "posix" and len(default) > 60 else default  # a socket's path has at most 103 bytes
    with tempfile.TemporaryDirectory(prefix="press-", dir=short, ignore_cleanup_errors=True) as folder:
        kernels = Kernels(root, folder)
        try:
            yield kernels
        finally:
            kernels.close()


def _environment(root: Path, folder: str) -> dict[str, str]:
    """Return the environment of the kernels: nothing of the reader's settings, nothing that changes from run to run."""
    cache = root / ".press" / "matplotlib"  # matplotlib's list of fonts takes seconds to make
    cache.mkdir(parents=True, exist_ok=True)
    settings = Path(folder, "matplotlibrc")
    settings.write_text("svg.hashsalt: press\n", encoding="utf-8")
    here = Path(__file__).parents[2]
    paths = [str(root), str(here), os.environ.get("PYTHONPATH", "")]
    fixed = {
        "IPYTHONDIR": f"{folder}/ipython",
        "JUPYTER_CONFIG_DIR": f"{folder}/jupyter",
        "JUPYTER_NO_CONFIG": "1",
        "MATPLOTLIBRC": str(settings),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": str(cache),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONUTF8": "1",
        "SOURCE_DATE_EPOCH": "0",
        "TZ": "UTC",
    }
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    inherited = {name: value for name, value in os.environ.items() if not _NOT_PASSED_ON.fullmatch(name)}
    return {**inherited, **fixed, **threads}
