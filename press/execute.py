"""Executes stale chapters, several at once, each into the notebook that stands beside it: its twin.

Cells run with the book's root as working directory and first on ``sys.path``, in an environment of their own: the
reader's IPython, Jupyter and matplotlib settings do not count, arithmetic runs on one thread, hashes are not random, so
that the same chapter gives the same bytes.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from press.chapter import Chapter, read_chapter
from press.freshness import Freshness, fingerprint
from press.problems import Problem

PART = ".press-part"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_LINE_IN_CELL = re.compile(r"Cell In\[\d+\], line (\d+)")


def make_twins(
    chapters: Sequence[Path],
    *,
    root: Path,
    jobs: int | None = None,
    cell_timeout_s: float = 60.0,
    report: Callable[[str], None] = print,
) -> list[Problem]:
    """Bring the twin of every chapter up to date and return what went wrong; nothing fresh is run or written.

    Args:
        chapters: paths of Jupytext Markdown files below ``root``.
        root: the book's folder.
        jobs: how many chapters run at once; as many as there are cores for this process unless told.
        cell_timeout_s: how long a cell may run; a cell's own ``timeout`` goes before.
        report: called with a line of progress for each chapter that was executed.
    """
    for leftover in root.glob(f"chapters/**/*{PART}"):
        leftover.unlink(missing_ok=True)
    freshness = Freshness(root)
    stale = []
    for path in chapters:
        work = _work(read_chapter(path, root=root), freshness)
        if work is None:
            continue
        _keep_edits(work, report)
        if work.outputs is None:
            stale.append(work)
        else:
            _write_twin(work, _with_outputs(work.chapter.notebook, work.outputs))
    if not stale:
        return []
    return asyncio.run(_execute(stale, root, jobs or _cores(), cell_timeout_s, report))


@dataclass(frozen=True)
class _Work:
    """A chapter whose twin has to be written: with the outputs it has where only prose changed, else by running it."""

    chapter: Chapter
    digest: str
    twin: dict[str, Any] | None
    outputs: list[Any] | None


def _work(chapter: Chapter, freshness: Freshness) -> _Work | None:
    """Return what there is to do for a chapter, or ``None`` if its twin is fresh."""
    twin = _read_twin(chapter.twin)
    record = twin["metadata"].get("press", {}) if twin else {}
    source = sha256(chapter.text.encode()).hexdigest()
    whole = twin is not None and record.get("content") == fingerprint(twin["cells"], outputs=True)
    # Where the text is as it was, the twin's cells are the chapter's, and are read without Jupytext.
    cells = twin["cells"] if twin and whole and record.get("source") == source else chapter.notebook.cells
    code = [
        ("".join(cell["source"]), cell["metadata"].get("tags", ())) for cell in cells if cell["cell_type"] == "code"
    ]
    digest = freshness.digest(code, chapter.header.get("inputs", ()))
    if not (twin and whole and record.get("digest") == digest):
        return _Work(chapter, digest, twin, None)
    if record.get("source") == source:
        return None
    outputs = [(cell["outputs"], cell["execution_count"]) for cell in twin["cells"] if cell["cell_type"] == "code"]
    return _Work(chapter, digest, twin, outputs)


def _read_twin(path: Path) -> dict[str, Any] | None:
    """Return the notebook as JSON; ``None`` if there is none or it is not readable."""
    try:
        twin = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return twin if isinstance(twin, dict) and "cells" in twin and "metadata" in twin else None


def _keep_edits(work: _Work, report: Callable[[str], None]) -> None:
    """Move a twin aside if somebody wrote in it what the chapter does not hold."""
    chapter, twin = work.chapter, work.twin
    if not chapter.twin.exists():
        return
    if twin is not None:
        written = fingerprint(twin["cells"], outputs=False)
        by_us = twin["metadata"].get("press", {}).get("inputs")
        if written in (by_us, fingerprint(chapter.notebook.cells, outputs=False)):
            return
    number = 1
    while (kept := chapter.twin.with_suffix(f".kept-{number}.ipynb")).exists():
        number += 1
    chapter.twin.rename(kept)
    report(
        f"{chapter.name}: the notebook beside it was edited; your copy is kept as {kept.name}. "
        f"To bring it into the chapter: jupytext --to md --output {chapter.path.name} {kept.name}"
    )


def _with_outputs(notebook: Any, outputs: Sequence[Any]) -> Any:
    """Put outputs into a notebook's code cells, in order."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, (shown, count) in zip(code, outputs, strict=True):
        cell["outputs"], cell["execution_count"] = shown, count
    return notebook


def _write_twin(work: _Work, notebook: Any) -> None:
    """Write a twin, the whole of it or nothing, as old as its chapter so that Jupytext sees neither as newer."""
    cells = notebook["cells"]
    notebook["metadata"]["language_info"] = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
    notebook["metadata"]["press"] = {
        "content": fingerprint(cells, outputs=True),
        "digest": work.digest,
        "inputs": fingerprint(cells, outputs=False),
        "source": sha256(work.chapter.text.encode()).hexdigest(),
    }
    twin = work.chapter.twin
    temporary = twin.with_name(f"{twin.stem}.{os.getpid()}{PART}")
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    temporary.write_text(text, encoding="utf-8")
    age = work.chapter.path.stat().st_mtime_ns
    os.utime(temporary, ns=(age, age))
    temporary.replace(twin)


async def _execute(
    stale: Sequence[_Work], root: Path, jobs: int, cell_timeout_s: float, report: Callable[[str], None]
) -> list[Problem]:
    """Run the chapters, ``jobs`` at a time."""
    places = asyncio.Semaphore(jobs)
    done = 0

    async def run(number: int, work: _Work, kernels: Kernels) -> list[Problem]:
        nonlocal done
        async with places:
            began = time.monotonic()
            problems = await _run(work, kernels, number, root, cell_timeout_s)
            done += 1
            state = "failed" if problems else "executed"
            took = time.monotonic() - began
            report(f"{state} {work.chapter.name} in {took:.1f} s ({done} of {len(stale)})")
            return problems

    with _kernels(root) as kernels:
        found = await asyncio.gather(*(run(number, work, kernels) for number, work in enumerate(stale)))
    return [problem for problems in found for problem in problems]


async def _run(work: _Work, kernels: Kernels, place: int, root: Path, cell_timeout_s: float) -> list[Problem]:
    """Run one chapter and write its twin; the twin of before stays if a cell fails."""
    from nbclient import NotebookClient

    notebook = work.chapter.notebook
    client = NotebookClient(
        notebook,
        km=kernels.manager(place),
        timeout_func=lambda cell: cell.metadata.get("timeout", cell_timeout_s),
        coalesce_streams=True,
        record_timing=False,
        shutdown_kernel="immediate",
        resources={"metadata": {"path": str(root)}},
    )
    code = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    async with client.async_setup_kernel(env=kernels.environment):
        for number, index in enumerate(code, start=1):
            cell = notebook.cells[index]
            try:
                await client.async_execute_cell(cell, index, execution_count=number)
            except Exception as error:
                return [_problem(work.chapter, index, number, error, cell.metadata.get("timeout", cell_timeout_s))]
    for index in code:
        notebook.cells[index].metadata.pop("execution", None)
    _write_twin(work, notebook)
    return []


def _problem(chapter: Chapter, index: int, number: int, error: Exception, limit_s: float) -> Problem:
    """Say what became of a cell, on the line of the chapter where it happened."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    line = chapter.cells[index].line
    if isinstance(error, CellTimeoutError):
        return Problem(chapter.name, line, f"cell {number} took longer than its {limit_s:g} s limit")
    if isinstance(error, DeadKernelError):
        return Problem(chapter.name, line, f"cell {number} ended the kernel (killed, out of memory, or os._exit)")
    if isinstance(error, CellExecutionError):
        inside = _LINE_IN_CELL.search(_ESCAPES.sub("", error.traceback))
        line += int(inside[1]) - 1 if inside else 0
        return Problem(chapter.name, line, f"cell {number} raised {error.ename}: {error.evalue}")
    return Problem(chapter.name, line, f"cell {number} could not be run: {type(error).__name__}: {error}")


class Kernels:
    """Makes kernel managers: of forked kernels where that works, else of the interpreter that runs the build."""

    def __init__(self, root: Path, folder: str, environment: dict[str, str]) -> None:
        from press import forge

        self._folder = folder
        self.environment = environment
        self._forge = forge.Forge(cwd=str(root), env=environment) if forge.available() else None

    def manager(self, number: int) -> Any:
        """Return a manager of a kernel that is not yet started."""
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import AsyncKernelManager

        from press.forge import ForkedProvisioner

        manager = AsyncKernelManager(connection_file=f"{self._folder}/{number}.json")
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        manager._kernel_spec = KernelSpec(argv=command, language="python", display_name="Python 3")
        if self._forge:
            manager.transport, manager.ip = "ipc", f"{self._folder}/{number}"
            provisioner = ForkedProvisioner(parent=manager, kernel_spec=manager._kernel_spec)
            provisioner.forge, provisioner.connection_file = self._forge, manager.connection_file
            manager.provisioner = provisioner
        return manager

    def close(self) -> None:
        """End all kernels."""
        if self._forge:
            self._forge.close()


@contextmanager
def _kernels(root: Path) -> Iterator[Kernels]:
    """Open the kernels of one build, with a folder for their connections and empty settings."""
    with tempfile.TemporaryDirectory(prefix="press-") as folder:
        kernels = Kernels(root, folder, _environment(root, folder))
        try:
            yield kernels
        finally:
            kernels.close()


def _environment(root: Path, folder: str) -> dict[str, str]:
    """Return the environment of the kernels: nothing of the reader's settings, nothing that changes from run to run."""
    cache = root / ".press" / "matplotlib"  # matplotlib's list of fonts takes seconds to make
    cache.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parents[1]
    paths = [str(root), str(here), os.environ.get("PYTHONPATH", "")]
    fixed = {
        "IPYTHONDIR": f"{folder}/ipython",
        "JUPYTER_CONFIG_DIR": f"{folder}/jupyter",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": str(cache),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "SOURCE_DATE_EPOCH": "0",
        "TZ": "UTC",
    }
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **fixed, **threads}


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
