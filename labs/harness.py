"""What all labs share: the process group, the table predicted | measured | agree, the time limit, the record.

A lab is a function of a ``Lab``, which every rank calls. The smallest one::

    '''Bytes of a ring all-reduce. Run: torchrun --standalone --nproc-per-node 4 labs/collectives/example.py'''

    import torch
    import torch.distributed as dist

    from labs.harness import Lab, run_lab
    from snippets.collectives.traffic import collective_traffic


    def main(lab: Lab) -> None:
        lab.need_ranks(2, "a rank alone sends nothing")
        lab.phase("all-reduce")  # what the time limit names if this hangs
        vector = torch.full((10,), float(lab.rank), device=lab.device)
        dist.all_reduce(vector)
        lab.close("result", vector, torch.full_like(vector, lab.ranks * (lab.ranks - 1) / 2))
        sent = collective_traffic("all_reduce", "ring", ranks=lab.ranks, size_bytes=10 * 4, element_bytes=4).sent_bytes
        lab.count("sent by a rank", predicted=sent[lab.rank], measured=..., unit="bytes")
        lab.time("all-reduce", predicted_s=1e-3, measured_s=lab.median_s(lambda: dist.all_reduce(vector)))


    if __name__ == "__main__":
        run_lab(main)

Rows are gathered from all ranks; one row shows one value where the ranks' values are the same, else one for each rank.
The exit code is the same on every rank: 0 if every count and every comparison agrees on every rank, 1 if one does not
or the lab raises, 3 if the time limit ends it. A time never decides; an order of times may, as a bound.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import socket
import statistics
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import dropwhile
from pathlib import Path
from typing import Any, NoReturn

import torch
import torch.distributed as dist

from grader.whole_files import write_whole
from labs.records import shortened, shown

DISAGREE, HUNG = 1, 3
_SIDES = ("predicted", "measured")
_WIDEST = 40  # characters of a cell of the table; the record has all
_GRACE_S = 2.0  # for ranks to say where they are, once the time limit is reached


class NotApplicableError(Exception):
    """The subject says nothing for this number of ranks or on this machine; the text says why."""


@dataclass(frozen=True)
class Row:
    """One line of the table, as one rank sees it.

    ``kind`` is ``"count"`` (equal or not), ``"bound"`` (measured at most predicted) or ``"time"`` (a ratio).
    """

    what: str
    kind: str
    predicted: Any
    measured: Any
    unit: str

    @property
    def agrees(self) -> bool:
        """Whether this rank's values agree; a time always does."""
        if self.kind == "bound":
            return bool(self.measured <= self.predicted)  # False for NaN
        return self.kind == "time" or bool(self.predicted == self.measured)


@dataclass
class Lab:
    """One rank's view of a run.

    Attributes:
        rank, ranks: this rank and how many there are; ``local_rank`` and ``local_ranks`` count on this node alone.
        device: where tensors live: this rank's GPU where every node has one for each of its ranks, else the CPU.
        backend: ``"nccl"`` or ``"gloo"``, after the device.
        options: the command line.
        store: the ranks' common store (``store.add(name, 1)`` counts), beside the group's own.
        rows: this rank's lines of the table.
        data: more for the record, as JSON takes it (what rank 0 has counts).
    """

    rank: int
    ranks: int
    local_rank: int
    local_ranks: int
    device: torch.device
    backend: str
    options: argparse.Namespace
    store: Any
    rows: list[Row] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    phase_name: str = "start"

    def need_ranks(self, least: int, why: str, *, multiple_of: int = 1) -> None:
        """End the lab with exit code 0 and a line that says why, unless there are enough ranks."""
        if self.ranks < least or self.ranks % multiple_of:
            among = f" and a multiple of {multiple_of}" if multiple_of > 1 else ""
            raise NotApplicableError(f"needs at least {least} ranks{among}, here are {self.ranks}: {why}")

    def phase(self, name: str) -> None:
        """Say what comes now, for the time limit's message."""
        self.phase_name = name

    def count(self, what: str, *, predicted: Any, measured: Any, unit: str = "") -> None:
        """Add a count (or any value that has to be equal: a list, a text)."""
        self.rows.append(Row(what, "count", predicted, measured, unit))

    def close(self, what: str, measured: torch.Tensor, expected: torch.Tensor, *, tolerance: float = 1e-5) -> None:
        """Add a comparison: the largest difference, relative to the largest expected value, is within rounding."""
        if measured.shape != expected.shape:
            self.count(what, predicted=list(expected.shape), measured=list(measured.shape), unit="shape")
            return
        difference, scale = 0.0, 1.0
        if expected.numel():
            difference = float((measured.double() - expected.double()).abs().max())
            scale = float(expected.double().abs().max()) or 1.0
        self.rows.append(Row(what, "bound", tolerance, difference / scale, "relative error"))

    def time(self, what: str, *, predicted_s: float, measured_s: float) -> None:
        """Add a time; it is shown with its ratio and never decides."""
        self.estimate(what, predicted=predicted_s, measured=measured_s, unit="s")

    def estimate(self, what: str, *, predicted: float, measured: float, unit: str) -> None:
        """Add what is a matter of times (a share, a size at which two are as fast): shown as a time is."""
        self.rows.append(Row(what, "time", float(predicted), float(measured), unit))

    def say(self, line: str) -> None:
        """Print a line, once."""
        if self.rank == 0:
            print(line, flush=True)

    def times_s(self, operation: Callable[[], Any], *, repeats: int = 5, warmups: int = 1) -> list[float]:
        """Return the slowest rank's time in each of ``repeats`` runs, which the ranks start together."""
        times = []
        for repeat in range(warmups + repeats):
            dist.barrier()
            begin = time.perf_counter()
            operation()
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)
            slowest = torch.tensor([time.perf_counter() - begin], dtype=torch.float64, device=self.device)
            dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
            if repeat >= warmups:
                times.append(float(slowest))
        return times

    def median_s(self, operation: Callable[[], Any], *, repeats: int = 5, warmups: int = 1) -> float:
        """Return the median of ``times_s``."""
        return statistics.median(self.times_s(operation, repeats=repeats, warmups=warmups))

    def fastest_s(self, operation: Callable[[], Any], *, repeats: int = 5, warmups: int = 1) -> float:
        """Return the least of ``times_s``: what the machine takes when nothing else is in its way."""
        return min(self.times_s(operation, repeats=repeats, warmups=warmups))


def run_lab(
    main: Callable[[Lab], None],
    *,
    options: Callable[[argparse.ArgumentParser], None] | None = None,
    time_limit_s: float = 120,
) -> NoReturn:
    """Run a lab on this rank, print the table on rank 0, and exit.

    Args:
        main: the lab.
        options: adds the lab's own options to the parser.
        time_limit_s: default of ``--time-limit``; when it is over, the ranks that hang are named and all are ended.
    """
    # The group stands before the lab starts and is left by hand: whatever happens, no rank waits for one that is gone.
    try:
        lab = _start(_options(main, options, time_limit_s))
        limit = None
        try:
            main(lab)
        except NotApplicableError as reason:
            limit = str(reason)
        lab.phase("gathering the table")
        gathered: list[list[Row]] = [[] for _ in range(lab.ranks)]
        dist.all_gather_object(gathered, lab.rows)
        table = _merged(gathered)
        agreed = all(row["agree"] for row in table)
        if lab.rank == 0:
            _print(lab, table, limit)
            if lab.options.record and limit is None:
                _record(lab, table)
        dist.barrier()
        dist.destroy_process_group()
    except BaseException as error:
        if isinstance(error, SystemExit) and not error.code:
            raise  # --help
        print(f"rank {os.environ.get('RANK', '0')} failed:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        os._exit(DISAGREE)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if agreed else DISAGREE)  # taking the interpreter down, with the engine's threads alive, may abort it


def _options(
    main: Callable[[Lab], None], more: Callable[[argparse.ArgumentParser], None] | None, time_limit_s: float
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=sys.modules[main.__module__].__doc__)
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the table, machine, versions, date as JSON")
    parser.add_argument("--machine", default="", help="the machine in words, for the record")
    parser.add_argument("--time-limit", type=float, default=time_limit_s, metavar="S", help="seconds for the whole lab")
    if more:
        more(parser)
    return parser.parse_args()


def _start(options: argparse.Namespace) -> Lab:
    """Join the process group that torchrun (or nobody: then a group of one) has laid out, and watch the time."""
    alone, parent = "RANK" not in os.environ, os.getppid()
    if not alone:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    local_rank, local_ranks = int(os.environ.get("LOCAL_RANK", 0)), int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    if ranks == local_ranks:  # gloo asks the host's name for an interface, and not every machine knows its own name
        loopback = next((name for _, name in socket.if_nameindex() if name.startswith("lo")), None)
        if loopback:
            os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback)
    nccl = torch.cuda.is_available() and dist.is_nccl_available()
    devices = torch.cuda.device_count() if nccl else 0
    timeout = timedelta(seconds=options.time_limit + 4 * _GRACE_S)  # the watch speaks first
    backends = "cpu:gloo,cuda:nccl" if nccl else "gloo"
    # A store with keys of its own for each restart: torchrun keeps its store, and in it the addresses of the last life.
    store: Any = dist.HashStore() if alone else _client(timeout, "group")
    dist.init_process_group(backends, store=store, rank=rank, world_size=ranks, timeout=timeout)
    enough = torch.tensor([int(devices >= local_ranks)])
    dist.all_reduce(enough, op=dist.ReduceOp.MIN)
    device = torch.device("cuda", local_rank) if enough else torch.device("cpu")
    if enough:
        torch.cuda.set_device(device)
    backend = "nccl" if enough else "gloo"
    # Clients of their own, for one that waits in the group's blocks all others that use it.
    stores = [store if alone else _client(timeout, name) for name in ("lab", "watch")]
    lab = Lab(rank, ranks, local_rank, local_ranks, device, backend, options, stores[0])
    stores[1].set(f"process {rank}", json.dumps([_agent(parent), os.getpid()]))
    watch = (lab, stores[1], threading.get_ident(), parent)
    threading.Thread(target=_watch, args=watch, daemon=True).start()
    return lab


def _client(timeout: timedelta, name: str) -> Any:
    """Return a connection to the store at which the ranks met, with keys of its own in every restart."""
    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    return dist.PrefixStore(f"{name}/{restart}", dist.TCPStore(host, port, is_master=False, timeout=timeout))


def _end_with(parent: int) -> None:
    """End this rank when torchrun is gone: its workers are no children that the system would end with it."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(HUNG)


def _watch(lab: Lab, store: Any, main_thread: int, parent: int) -> None:
    """End this rank when the time is over; the lowest rank that still speaks names the culprit."""
    time.sleep(lab.options.time_limit)
    try:
        store.set(str(lab.rank), json.dumps(_whereabouts(lab, main_thread)))
        time.sleep(_GRACE_S)
        said = {rank: json.loads(store.get(str(rank))) for rank in range(lab.ranks) if store.check([str(rank)])}
    except RuntimeError:  # the store has gone down with its host
        said = {lab.rank: _whereabouts(lab, main_thread)}
    if lab.rank == min(said):
        print(_verdict(lab, said), file=sys.stderr, flush=True)
        time.sleep(0.2)  # before torchrun ends the others, and with them this line's way out
    else:
        time.sleep(_GRACE_S / 2)  # before the one that speaks finds this rank gone, and ends by that
    try:
        _kill_silent(lab, store, said.keys(), parent)
    finally:
        os._exit(HUNG)


def _agent(parent: int) -> str:
    """Name the torchrun that started this rank: one node's ranks have it in common."""
    return f"{socket.gethostname()} {os.environ.get('GROUP_RANK', '0')} {parent}"


def _kill_silent(lab: Lab, store: Any, said: Collection[int], parent: int) -> None:
    """Kill the ranks of this node that cannot end themselves: torchrun would give them another half minute."""
    for rank in set(range(lab.ranks)) - set(said):
        agent, process = json.loads(store.get(f"process {rank}"))
        if agent == _agent(parent):
            os.kill(process, signal.SIGKILL)


def _whereabouts(lab: Lab, main_thread: int) -> dict[str, Any]:
    """Say where the lab's thread stands, and whether it waits there for other ranks."""
    stack: list[traceback.FrameSummary] = traceback.extract_stack(sys._current_frames()[main_thread])
    # What called run_lab may be torchrun itself (--run-path), and says nothing of the lab.
    stack = list(dropwhile(lambda frame: frame.name != run_lab.__name__, stack)) or stack
    waits = any("/torch/distributed/" in frame.filename.replace("\\", "/") for frame in stack)
    own = [frame for frame in stack if "/torch/" not in frame.filename.replace("\\", "/")][-1]
    return {"phase": lab.phase_name, "at": f"{Path(own.filename).name}:{own.lineno}", "waits": waits}


def _verdict(lab: Lab, said: dict[int, dict[str, Any]]) -> str:
    lines = [f"time limit of {lab.options.time_limit:g} s reached"]
    hanging = [rank for rank in range(lab.ranks) if rank not in said or not said[rank]["waits"]]
    for rank in hanging:
        where = f"in phase '{said[rank]['phase']}' at {said[rank]['at']}" if rank in said else "and does not answer"
        lines.append(f"rank {rank} hangs {where}")
    if not hanging:
        lines.append("every rank waits for another")
    for rank in sorted(said.keys() - set(hanging)):
        lines.append(f"rank {rank} waits in phase '{said[rank]['phase']}' at {said[rank]['at']}")
    return "\n".join(lines)


def _merged(gathered: list[list[Row]]) -> list[dict[str, Any]]:
    """Return the rows of all ranks as one table, with one value for each rank that has the row."""
    table: dict[tuple[str, int], dict[str, Any]] = {}
    for rows in gathered:
        seen: dict[str, int] = {}
        for row in rows:
            seen[row.what] = seen.get(row.what, -1) + 1
            line = table.setdefault(
                (row.what, seen[row.what]),
                {"what": row.what, "kind": row.kind, "unit": row.unit, "predicted": [], "measured": [], "agree": True},
            )
            line["predicted"].append(row.predicted)
            line["measured"].append(row.measured)
            line["agree"] = line["agree"] and row.agrees
    for line in table.values():
        if line["kind"] == "time":  # the slowest rank's
            line["predicted"], line["measured"] = [max(line["predicted"])], [max(line["measured"])]
            line["ratio"] = line["measured"][0] / line["predicted"][0] if line["predicted"][0] else float("inf")
        elif line["kind"] == "bound":
            line["predicted"], line["measured"] = [min(line["predicted"])], [max(line["measured"])]
        for side in _SIDES:
            if all(value == line[side][0] for value in line[side]):
                line[side] = line[side][:1]
    return list(table.values())


def _print(lab: Lab, table: list[dict[str, Any]], limit: str | None) -> None:
    plural = "" if lab.ranks == 1 else "s"
    print(f"{lab.ranks} rank{plural}, {lab.backend}, PyTorch {torch.__version__}")
    if limit is not None:
        print(f"not applicable: {limit}")
    if not table:
        return
    cells = [["what", "predicted", "measured", "unit", "agree"]]
    for line in table:
        agree = f"×{line['ratio']:.2f}" if line["kind"] == "time" else "yes" if line["agree"] else "NO"
        cells.append([line["what"], *(shortened(shown(line, side), _WIDEST) for side in _SIDES), line["unit"], agree])
    widths = [max(len(row[column]) for row in cells) for column in range(5)]
    for row in cells:
        print(" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    wrong = [line["what"] for line in table if not line["agree"]]
    print(f"disagree: {', '.join(wrong)}" if wrong else "all counts agree")


def _record(lab: Lab, table: list[dict[str, Any]]) -> None:
    """Write what was measured, on what, and when."""
    script = Path(sys.argv[0]).resolve()
    accelerator = f", {torch.cuda.get_device_name(lab.device)}" if lab.device.type == "cuda" else ""
    record = {
        "lab": "/".join(script.with_suffix("").parts[-2:]),
        "command": f"torchrun --standalone --nproc-per-node {lab.local_ranks} labs/{'/'.join(script.parts[-2:])}",
        "ranks": lab.ranks,
        "nodes": lab.ranks // lab.local_ranks,
        "backend": lab.backend,
        "machine": lab.options.machine
        or f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}{accelerator}, {lab.backend}",
        "versions": {"python": platform.python_version(), "torch": re.sub(r"\+.*", "", torch.__version__)},
        "date": date.today().isoformat(),
        "rows": table,
        **lab.data,
    }
    write_whole(lab.options.record, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
