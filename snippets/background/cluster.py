"""Simulators: workers that have memories of their own and share arrays by messages only, with a log of all they do.

Whatever a worker stores, drops, sends or computes is an event of the log; a run's cost is derived from the log alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from snippets.background.arrays import number_array
from snippets.domain import at_most, each, nonnegative_integer, positive_integer, text

Array = NDArray[Any]

MOST_WORKERS = 2**16  # each is simulated


@dataclass(frozen=True)
class Stored:
    """From now on the worker keeps ``size_bytes`` under this name; 0 bytes when it has dropped the array."""

    worker: int
    name: str
    size_bytes: int


@dataclass(frozen=True)
class Started:
    """The inputs are dealt: what follows is the run."""


@dataclass(frozen=True)
class Message:
    """An array that went from one worker to another in a step (from 0); ``array`` is its name at the source."""

    step: int
    source: int
    destination: int
    array: str
    size_bytes: int


@dataclass(frozen=True)
class Computed:
    """Floating-point operations of a worker: of a block product, or of adding what another worker has sent."""

    worker: int
    product_flops: int = 0
    reduction_flops: int = 0


Event = Stored | Started | Message | Computed


@dataclass(frozen=True)
class WorkerAccount:
    """What a run cost one worker.

    Attributes:
        start_bytes: held when the run began: the worker's inputs.
        peak_bytes: the most that it held at any time.
        sent_bytes: payload of the messages that it sent.
        received_bytes: payload of the messages that it received.
        messages: how many it sent. An empty block is a message of 0 bytes.
        product_flops: operations of its block products.
        reduction_flops: additions of numbers that came from other workers.
    """

    start_bytes: int
    peak_bytes: int
    sent_bytes: int
    received_bytes: int
    messages: int
    product_flops: int
    reduction_flops: int


@dataclass(frozen=True)
class Account:
    """What a run cost each worker, and how many steps it took; all messages of a step travel at the same time."""

    workers: tuple[WorkerAccount, ...]
    steps: int

    @property
    def sent_bytes(self) -> int:
        """Bytes that all workers together have sent."""
        return sum(worker.sent_bytes for worker in self.workers)

    @property
    def product_flops(self) -> int:
        """Operations of all block products together."""
        return sum(worker.product_flops for worker in self.workers)


@dataclass(frozen=True)
class Transfer:
    """A message to be sent: which array of the source, and the name that the destination stores it under."""

    source: int
    destination: int
    array: str
    store_as: str


class Cluster:
    """Some workers, numbered from 0, each with named arrays that no other worker can see.

    Example:
        >>> import numpy as np
        >>> cluster = Cluster(2)
        >>> cluster.store(0, "x", np.arange(3.0))
        >>> cluster.exchange([Transfer(0, 1, "x", "x")])
        >>> cluster.read(1, "x").tolist(), account_of(cluster.log, workers=2).workers[0].sent_bytes
        ([0.0, 1.0, 2.0], 24)
    """

    def __init__(self, workers: int) -> None:
        self.workers = at_most("workers", positive_integer("workers", workers), MOST_WORKERS)
        self.log: list[Event] = []
        self._memories: list[dict[str, Array]] = [{} for _ in range(self.workers)]
        self._steps = 0

    def read(self, worker: int, name: str) -> Array:
        """Return a worker's array, read-only."""
        view = self._array(worker, name).view()
        view.flags.writeable = False
        return view

    def begin(self) -> None:
        """Note that all inputs are dealt."""
        self.log.append(Started())

    def store(self, worker: int, name: str, array: Array) -> None:
        """Give a worker a copy of an array (real or complex); an array of the same name is overwritten."""
        kept = number_array("array", array).copy()
        self._memory("worker", worker)[text("name", name)] = kept
        self.log.append(Stored(worker, name, kept.nbytes))

    def drop(self, worker: int, name: str) -> None:
        """Free an array of a worker."""
        self._array(worker, name)
        del self._memories[worker][name]
        self.log.append(Stored(worker, name, 0))

    def multiply(self, worker: int, left: str, right: str, *, into: str) -> None:
        """Add the product of two of the worker's arrays to a third, or store it as the third when there is none."""
        a, b, into = self._array(worker, left, "left"), self._array(worker, right, "right"), text("into", into)
        product = a @ b
        self.log.append(Computed(worker, product_flops=2 * a.shape[0] * a.shape[1] * b.shape[1]))
        if into in self._memories[worker]:
            self._memories[worker][into] += product
        else:
            self.store(worker, into, product)

    def add(self, worker: int, name: str, *, into: str) -> None:
        """Add one of the worker's arrays, that came from another worker, to a second one, and free the first."""
        arrived = self._array(worker, name)
        self._array(worker, into, "into")[...] += arrived
        self.log.append(Computed(worker, reduction_flops=arrived.size))
        self.drop(worker, name)

    def split_rows(self, worker: int, name: str, rows: Sequence[range]) -> None:
        """Rename an array into its blocks of rows, ``name[0]``, ``name[1]``, …, that can be sent one by one."""
        whole, parts = self._array(worker, name), each("rows", rows, _range)
        self.drop(worker, name)
        for number, part in enumerate(parts):
            self.store(worker, f"{name}[{number}]", whole[part.start : part.stop])

    def exchange(self, transfers: Iterable[Transfer]) -> None:
        """Carry out one step: every payload is read before any is stored, so that all travel at the same time."""
        payloads = []
        for transfer in _iterated("transfers", transfers):
            if not isinstance(transfer, Transfer):
                raise ValueError(f"transfers must hold Transfers, got {transfer!r}")
            self._memory("destination", transfer.destination)
            payloads.append((transfer, self._array(transfer.source, transfer.array).copy()))
        for transfer, payload in payloads:
            sent = (transfer.source, transfer.destination, transfer.array, payload.nbytes)
            self.log.append(Message(self._steps, *sent))
            self.store(transfer.destination, transfer.store_as, payload)
        self._steps += 1

    def _memory(self, said: str, worker: int) -> dict[str, Array]:
        if nonnegative_integer(said, worker) >= self.workers:
            raise ValueError(f"{said} must be an integer from 0 to {self.workers - 1}, got {worker!r}")
        return self._memories[worker]

    def _array(self, worker: int, name: str, said: str = "name") -> Array:
        memory = self._memory("worker", worker)
        if text(said, name) not in memory:
            raise ValueError(f"{said} must be an array that worker {worker} holds ({', '.join(memory)}), got {name!r}")
        return memory[name]


def account_of(log: Iterable[Event], *, workers: int) -> Account:
    """Add up a log, worker by worker.

    Args:
        log: the events in their order.
        workers: how many workers there are, at least 1.

    Returns:
        The account.

    Raises:
        ValueError: ``workers`` is no integer of at least 1, or not above every worker of the log.

    Example:
        >>> import numpy as np
        >>> cluster = Cluster(2)
        >>> cluster.store(0, "A", np.zeros(3))
        >>> cluster.begin()
        >>> account_of(cluster.log, workers=2).workers[0].start_bytes
        24
    """
    count = at_most("workers", positive_integer("workers", workers), MOST_WORKERS)
    events = list(_iterated("log", log))
    _check_workers(events, count)
    held: list[dict[str, int]] = [{} for _ in range(count)]
    now, start, peak, sent, received, messages, products, reductions = ([0] * count for _ in range(8))
    steps = 0
    for event in events:
        match event:
            case Stored(worker, name, size):
                now[worker] += size - held[worker].get(name, 0)
                held[worker][name] = size
                peak[worker] = max(peak[worker], now[worker])
            case Started():
                start = now.copy()
            case Message(step, source, destination, _, size):
                steps = max(steps, step + 1)
                sent[source] += size
                received[destination] += size
                messages[source] += 1
            case Computed(worker, product_flops, reduction_flops):
                products[worker] += product_flops
                reductions[worker] += reduction_flops
    rows = zip(start, peak, sent, received, messages, products, reductions, strict=True)
    return Account(tuple(WorkerAccount(*row) for row in rows), steps)


def ring_reduce_scatter(cluster: Cluster, rings: Sequence[Sequence[int]], name: str) -> None:
    """Sum the chunks ``name[0]``, … over each ring of T workers; its q-th worker keeps the sum of chunk q alone.

    In each of T − 1 steps every worker passes the chunk that it has just added to on to its successor.

    Args:
        cluster: the workers, each of which holds T chunks whose shapes agree along its ring.
        rings: the workers' numbers in the order of each ring; rings of equal length, that work at the same time.
        name: the chunks' common name.

    Raises:
        ValueError: a ring names what is no worker, a worker does not hold what it has to send or to add to, or the
            shapes do not agree.

    Example:
        >>> import numpy as np
        >>> cluster = Cluster(2)
        >>> for worker in (0, 1):
        ...     cluster.store(worker, "g[0]", np.full(2, worker + 1.0))
        ...     cluster.store(worker, "g[1]", np.full(2, worker + 10.0))
        >>> ring_reduce_scatter(cluster, [(0, 1)], "g")
        >>> cluster.read(0, "g[0]").tolist(), cluster.read(1, "g[1]").tolist()
        ([3.0, 3.0], [21.0, 21.0])
    """
    size = _ring_length(cluster, rings)
    text("name", name)
    for step in range(size - 1):
        hops = [
            (ring[place - 1], ring[place], f"{name}[{(place - 2 - step) % size}]") for ring, place in _places(rings)
        ]
        cluster.exchange(Transfer(source, destination, chunk, "arrived") for source, destination, chunk in hops)
        for source, destination, chunk in hops:
            cluster.drop(source, chunk)
            cluster.add(destination, "arrived", into=chunk)


def ring_all_gather(cluster: Cluster, rings: Sequence[Sequence[int]], name: str) -> None:
    """Give every worker of each ring of T workers all chunks ``name[0]``, …, when its q-th worker holds chunk q.

    In each of T − 1 steps every worker passes the chunk that came last on to its successor.

    Args:
        cluster: the workers.
        rings: the workers' numbers in the order of each ring; rings of equal length, that work at the same time.
        name: the chunks' common name.

    Raises:
        ValueError: a ring names what is no worker, a worker does not hold what it has to send or to add to, or the
            shapes do not agree.

    Example:
        >>> import numpy as np
        >>> cluster = Cluster(2)
        >>> for worker in (0, 1):
        ...     cluster.store(worker, f"g[{worker}]", np.full(2, worker + 1.0))
        >>> ring_all_gather(cluster, [(0, 1)], "g")
        >>> cluster.read(0, "g[1]").tolist(), cluster.read(1, "g[0]").tolist()
        ([2.0, 2.0], [1.0, 1.0])
    """
    size = _ring_length(cluster, rings)
    text("name", name)
    for step in range(size - 1):
        hops = [
            (ring[place - 1], ring[place], f"{name}[{(place - 1 - step) % size}]") for ring, place in _places(rings)
        ]
        cluster.exchange(Transfer(source, destination, chunk, chunk) for source, destination, chunk in hops)


def ring_broadcast(cluster: Cluster, rings: Sequence[tuple[Sequence[int], str]]) -> None:
    """Copy an array from the first worker of each ring to the others, which pass it on one by one.

    Args:
        cluster: the workers.
        rings: for each ring the workers' numbers, the one that holds the array first, and the array's name; the rings
            work at the same time.

    Raises:
        ValueError: a ring names what is no worker, a worker does not hold what it has to send or to add to, or the
            shapes do not agree.

    Example:
        >>> import numpy as np
        >>> cluster = Cluster(3)
        >>> cluster.store(1, "w", np.ones(2))
        >>> ring_broadcast(cluster, [((1, 2, 0), "w")])
        >>> cluster.read(0, "w").tolist()
        [1.0, 1.0]
    """
    _check_cluster(cluster)
    each("rings", rings, lambda said, ring: _check_named_ring(cluster, said, ring))
    for hop in range(max((len(ring) for ring, _ in rings), default=1) - 1):
        cluster.exchange(Transfer(ring[hop], ring[hop + 1], name, name) for ring, name in rings if hop + 1 < len(ring))


def _check_cluster(cluster: Cluster) -> None:
    if not isinstance(cluster, Cluster):
        raise ValueError(f"cluster must be a Cluster, got {cluster!r}")


def _check_ring(cluster: Cluster, said: str, ring: Sequence[int]) -> int:
    """Return the length of a ring of the cluster's workers, or raise ``ValueError``."""
    workers = each(said, ring, nonnegative_integer)
    if not workers or max(workers) >= cluster.workers:
        raise ValueError(f"{said} must hold workers from 0 to {cluster.workers - 1}, got {ring!r}")
    return len(workers)


def _check_named_ring(cluster: Cluster, said: str, ring: object) -> None:
    if not isinstance(ring, tuple) or len(ring) != 2:
        raise ValueError(f"{said} must be the workers and the name of their array, got {ring!r}")
    _check_ring(cluster, said, ring[0])
    cluster._array(ring[0][0], ring[1], said)


def _ring_length(cluster: Cluster, rings: Sequence[Sequence[int]]) -> int:
    """Return the length that all rings have, or raise ``ValueError``."""
    _check_cluster(cluster)
    lengths = set(each("rings", rings, lambda said, ring: _check_ring(cluster, said, ring)))
    if len(lengths) != 1:
        raise ValueError(f"rings must be of one length, got {rings!r}")
    return lengths.pop()


def _check_workers(events: Iterable[Event], workers: int) -> None:
    """Raise ``ValueError`` unless all are events of so many workers."""
    for event in events:
        if not isinstance(event, Event):
            raise ValueError(f"log must hold the events of a cluster, got {event!r}")
        named = (event.source, event.destination) if isinstance(event, Message) else (getattr(event, "worker", 0),)
        if max(named) >= workers:
            raise ValueError(f"workers must be above every worker of the log, got {workers} with {event!r}")


def _iterated(name: str, values: Iterable[Any]) -> Iterator[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list or another iterable, got {values!r}")
    return iter(values)


def _range(name: str, value: Any) -> range:
    if not isinstance(value, range):
        raise ValueError(f"{name} must be a range, got {value!r}")
    return value


def _places(rings: Sequence[Sequence[int]]) -> list[tuple[Sequence[int], int]]:
    """Every worker of every ring, as its ring and its place on it."""
    return [(ring, place) for ring in rings for place in range(len(ring))]
