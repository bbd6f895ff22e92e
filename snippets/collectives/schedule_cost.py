"""Formulas: what a schedule costs when a message takes α + n/β and combining takes γ a byte.

The machine: every rank has one port of full duplex, so that it sends one message and receives one at a time, at full
bandwidth each way, to and from any other rank. Rounds follow each other; a round lasts as long as its slowest rank.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from snippets.domain import as_float, integer_fields, named, nonnegative_number, positive_integer, positive_number
from snippets.simulation.schedule import Schedule, ScheduledSend

DUPLEXES = ("full", "half")


@dataclass(frozen=True)
class Cost:
    """How often α, and for how many bytes 1/β and γ are paid on the slowest path: the time is linear in the three.

    Attributes:
        steps: messages that follow each other, at least 0.
        wire_bytes: bytes that follow each other on the wire: of each round those of its slowest rank, at least 0.
        reduced_bytes: bytes that this rank combines, at least 0.

    Example:
        >>> ring = Cost(steps=14, wire_bytes=1_750_000, reduced_bytes=875_000)
        >>> ring.time_s(latency_s=1e-5, bandwidth_bytes_per_s=25e9, reduction_s_per_byte=1e-12)
        0.00021087500000000002
        >>> ring + Cost(1, 10, 0)
        Cost(steps=15, wire_bytes=1750010, reduced_bytes=875000)
    """

    steps: int
    wire_bytes: int
    reduced_bytes: int

    def __post_init__(self) -> None:
        integer_fields(self, "steps", "wire_bytes", "reduced_bytes", minimum=0)

    def __add__(self, other: Cost) -> Cost:
        """Return the cost of one after the other."""
        if not isinstance(other, Cost):
            return NotImplemented
        return Cost(
            self.steps + other.steps, self.wire_bytes + other.wire_bytes, self.reduced_bytes + other.reduced_bytes
        )

    def time_s(self, *, latency_s: float, bandwidth_bytes_per_s: float, reduction_s_per_byte: float = 0.0) -> float:
        """Return the time in seconds.

        Formula: $T = S \\alpha + Q / \\beta + Q_\\gamma \\gamma$
        Symbols: S = steps; Q = wire_bytes; Q_γ = reduced_bytes; α = latency_s; β = bandwidth_bytes_per_s, per
            direction; γ = reduction_s_per_byte
        Chapter: 14

        Args:
            latency_s: seconds before the first byte of a message arrives, at least 0.
            bandwidth_bytes_per_s: of one rank's port in one direction.
            reduction_s_per_byte: seconds to combine one received byte with one's own; 0 leaves it out.

        Returns:
            Seconds.

        Source: Thakur, Rabenseifner and Gropp 2005 (their β is seconds per byte).
        Convention: the three terms add up: a port does one after the other.
        Leaves out: contention, overlap of communication with the reduction, and the differences between links.

        Example:
            >>> Cost(2, 1000, 0).time_s(latency_s=1e-6, bandwidth_bytes_per_s=1e9)
            3e-06
        """
        S, Q, Qγ = self.steps, self.wire_bytes, self.reduced_bytes
        α, β = (
            nonnegative_number("latency_s", latency_s),
            positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
        )
        γ = nonnegative_number("reduction_s_per_byte", reduction_s_per_byte)
        return as_float("latency_s, bandwidth_bytes_per_s and reduction_s_per_byte", S * α + Q / β + Qγ * γ)


@dataclass(frozen=True)
class Price:
    """What a schedule costs: its terms on the slowest path, its time, and the time of each round.

    Example:
        >>> from snippets.simulation.algorithms import build_collective
        >>> tree = build_collective("broadcast", "binomial", ranks=8, length=1000)
        >>> price_schedule(tree, element_bytes=2, latency_s=1e-6, bandwidth_bytes_per_s=1e9).terms
        Cost(steps=3, wire_bytes=6000, reduced_bytes=0)
    """

    terms: Cost
    time_s: float
    round_times_s: tuple[float, ...]


def price_schedule(
    schedule: Schedule,
    *,
    element_bytes: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
    duplex: str = "full",
) -> Price:
    """Price a schedule, whatever it does, from its messages alone.

    Formula: $T = \\sum_i \\max_r \\left( S_{ir} \\alpha + Q_{ir} / \\beta + Q_{\\gamma ir} \\gamma \\right)$
    Symbols: S_ir and Q_ir = messages and bytes that pass the port of rank r in round i: the larger of what it sends and
        receives (full duplex) or their sum (half); Q_γir = bytes that it combines; α = latency_s;
        β = bandwidth_bytes_per_s; γ = reduction_s_per_byte
    Chapter: 14

    Args:
        schedule: rounds of sends.
        element_bytes: bytes of one element of the schedule; with 1, its length counts bytes.
        latency_s: α, for every message, also for one without data, at least 0.
        bandwidth_bytes_per_s: β of a port, per direction.
        reduction_s_per_byte: γ, for every byte that a message combines at its receiver.
        duplex: ``"full"`` or ``"half"``: whether a port sends while it receives.

    Returns:
        Terms, time, and the time of each round. Where two ranks take the same time, the terms are those of the one
        that waits longer for messages, then for bytes.

    Source: the single-port model of Chan et al. 2007 and Thakur et al. 2005.
    Convention: single port: messages of one rank in one direction and one round follow each other.
    Leaves out: topology and contention; overlap of rounds: no rank starts a round before all have ended the last.

    Example:
        >>> from snippets.simulation.algorithms import build_collective
        >>> ring = build_collective("all_reduce", "ring", ranks=8, length=500_000)
        >>> net = {"latency_s": 1e-5, "bandwidth_bytes_per_s": 25e9, "reduction_s_per_byte": 1e-12}
        >>> price_schedule(ring, element_bytes=2, **net).time_s
        0.00021087500000000002
    """
    if not isinstance(schedule, Schedule):
        raise ValueError(f"schedule must be a Schedule, got {schedule!r}")
    terms = _terms(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    element_bytes = positive_integer("element_bytes", element_bytes)
    duplex = named("duplex", duplex, DUPLEXES)
    rounds = [_slowest(sends, terms, element_bytes, duplex) for sends in schedule.rounds]
    times = [_weigh(cost, terms) for cost in rounds]
    names = "schedule, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte and element_bytes"
    return Price(
        sum(rounds, start=Cost(0, 0, 0)),
        as_float(names, sum(times, start=Fraction(0))),
        tuple(as_float(names, time) for time in times),
    )


_Terms = tuple[Fraction, Fraction, Fraction]


def _terms(latency_s: float, bandwidth_bytes_per_s: float, reduction_s_per_byte: float) -> _Terms:
    """Return α, 1/β and γ, exact."""
    return (
        Fraction(nonnegative_number("latency_s", latency_s)),
        1 / Fraction(positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)),
        Fraction(nonnegative_number("reduction_s_per_byte", reduction_s_per_byte)),
    )


def _weigh(cost: Cost, terms: _Terms) -> Fraction:
    return cost.steps * terms[0] + cost.wire_bytes * terms[1] + cost.reduced_bytes * terms[2]


def _slowest(sends: tuple[ScheduledSend, ...], terms: _Terms, element_bytes: int, duplex: str) -> Cost:
    """Return the cost of one round: that of its slowest rank."""
    messages_out: Counter[int] = Counter()
    messages_in: Counter[int] = Counter()
    bytes_out: Counter[int] = Counter()
    bytes_in: Counter[int] = Counter()
    combined: Counter[int] = Counter()
    for send in sends:
        size = send.elements * element_bytes
        messages_out[send.source] += 1
        messages_in[send.destination] += 1
        bytes_out[send.source] += size
        bytes_in[send.destination] += size
        combined[send.destination] += size * send.combine
    found: set[tuple[int, int, int]] = set()
    for rank in messages_out.keys() | messages_in.keys():
        messages, sizes = (messages_out[rank], messages_in[rank]), (bytes_out[rank], bytes_in[rank])
        port = (max(messages), max(sizes)) if duplex == "full" else (sum(messages), sum(sizes))
        found.add((*port, combined[rank]))
    return max(
        (Cost(*each) for each in found),
        key=lambda cost: (_weigh(cost, terms), cost.steps, cost.wire_bytes, cost.reduced_bytes),
        default=Cost(0, 0, 0),
    )
