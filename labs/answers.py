"""Runs a rank program, such as a reader's answer to an exercise, on a process group, and counts what it hands over.

The program is the generator that the exercise asks for; it runs as on ``snippets.simulation.machine``, but what it
yields is done by PyTorch: ``Send``, ``Receive`` and ``Exchange`` by ``isend`` and ``irecv``, collectives by the
engine's own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from labs.harness import Lab, NotApplicableError
from snippets.simulation.machine import AllGather, AllReduce, Exchange, Receive, ReduceScatter, Send

ROOT = Path(__file__).parents[1]


@dataclass
class Sent:
    """What one rank handed to the engine: messages, bytes, and bytes of collectives as the engine's rings send them."""

    messages: int = 0
    message_bytes: int = 0
    collective_bytes: float = 0.0


def answer_in(path: Path, address: str) -> Callable[..., Generator[Any, Any, Any]]:
    """Return the answer that a file has to an exercise, ``"collectives/ring_and_tree/ring_all_reduce"``.

    Raises:
        NotApplicableError: there is no such file, or it does not define the function; the text says what to do.
    """
    name = address.rpartition("/")[2]
    if not path.is_file():
        raise NotApplicableError(
            f"there is no {path}: `pytest exercises -k {name}` makes it, and you write your answer there. "
            f"The book's own runs with --answer exercises/{address}.py"
        )
    spec = importlib.util.spec_from_file_location(f"answer_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise NotApplicableError(f"{path} defines no {name}")
    answer: Callable[..., Generator[Any, Any, Any]] = getattr(module, name)
    return answer


class Engine:
    """One rank's side of a program: does what it yields, and counts it."""

    def __init__(self, lab: Lab, *, dtype: torch.dtype) -> None:
        self.lab, self.dtype, self.sent = lab, dtype, Sent()

    def run(self, program: Generator[Any, Any, Any]) -> Any:
        """Run a program to its end and return what it returns."""
        answer = None
        while True:
            try:
                request = program.send(answer)
            except StopIteration as end:
                return end.value
            answer = self._done(request)

    def _done(self, request: Any) -> Any:
        match request:
            case Send(to, numbers):
                return self._exchange(to, numbers, None)
            case Receive(source):
                return self._exchange(None, (), source)
            case Exchange(to, numbers, source):
                return self._exchange(to, numbers, source)
            case ReduceScatter(numbers):
                return self._reduce_scatter(numbers)
            case AllReduce(numbers):
                return self._all_reduce(numbers)
            case AllGather(numbers, into):
                return self._all_gather(numbers, into)
        raise NotApplicableError(f"the program yields {type(request).__name__}, which this lab does not run")

    def _exchange(self, to: int | None, numbers: Any, source: int | None) -> list[float] | None:
        """Send, receive or both at once. How many numbers come is sent ahead, and not counted."""
        leaving = torch.tensor(list(numbers), dtype=self.dtype, device=self.lab.device)
        ahead, length = (torch.tensor([size], device=self.lab.device) for size in (leaving.numel(), 0))
        self._both((to, ahead), (source, length))
        arriving = torch.zeros(int(length), dtype=self.dtype, device=self.lab.device)
        self._both((to if leaving.numel() else None, leaving), (source if arriving.numel() else None, arriving))
        if to is not None:
            self.sent.messages += 1
            self.sent.message_bytes += leaving.nbytes
        return None if source is None else arriving.tolist()

    def _both(self, out: tuple[int | None, torch.Tensor], into: tuple[int | None, torch.Tensor]) -> None:
        ways = ((dist.isend, *reversed(out)), (dist.irecv, *reversed(into)))
        work = [dist.P2POp(way, tensor, peer) for way, tensor, peer in ways if peer is not None]
        for request in dist.batch_isend_irecv(work) if work else ():
            request.wait()

    def _tensor(self, array: Any) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.lab.device)

    def _count(self, whole: torch.Tensor, phases: int) -> None:
        """Count a collective: a ring sends (N − 1)/N of the whole array in each phase."""
        self.sent.collective_bytes += phases * (self.lab.ranks - 1) / self.lab.ranks * whole.nbytes

    def _reduce_scatter(self, numbers: Any) -> Any:
        whole = self._tensor(numbers)
        part = torch.empty_like(whole[: len(whole) // self.lab.ranks])
        dist.reduce_scatter_single(part, whole)
        self._count(whole, 1)
        return part.cpu().numpy()

    def _all_reduce(self, numbers: Any) -> Any:
        whole = self._tensor(numbers).clone()
        dist.all_reduce(whole)
        self._count(whole, 2)
        return whole.cpu().numpy()

    def _all_gather(self, numbers: Any, into: Any) -> Any:
        part = self._tensor(numbers)
        whole = torch.empty(self.lab.ranks * len(part), dtype=part.dtype, device=self.lab.device)
        dist.all_gather_single(whole, part)
        self._count(whole, 1)
        if into is None:
            return whole.cpu().numpy()
        into[:] = whole.cpu().numpy()
        return into
