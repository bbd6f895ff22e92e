"""Simulators: where a step of mixed-precision Adam can be cut between a device and its host: all cuts, one by one."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from snippets.domain import flag

STATE_BYTES = {
    "16-bit weights": 2,
    "16-bit gradients": 2,
    "master copy": 4,
    "first average": 4,
    "second average": 4,
}
WORK = ("forward and backward", "update", "rounding")
FLOWS: tuple[tuple[str, str, int], ...] = (
    ("16-bit weights", "forward and backward", 2),
    ("forward and backward", "16-bit gradients", 2),
    ("16-bit gradients", "update", 2),
    ("master copy", "update", 4),
    ("update", "master copy", 4),
    ("first average", "update", 4),
    ("update", "first average", 4),
    ("second average", "update", 4),
    ("update", "second average", 4),
    ("master copy", "rounding", 4),
    ("rounding", "16-bit weights", 2),
)
"""From where to where how many bytes a parameter flow in a step."""


@dataclass(frozen=True)
class OffloadCut:
    """One way to divide state and work between device and host.

    Attributes:
        on_host: what is on the host; the rest is on the device.
        moved: bytes a parameter that cross in a step.
        held: bytes a parameter that the device holds.

    >>> OffloadCut(frozenset(), moved=0, held=16).held
    16
    """

    on_host: frozenset[str]
    moved: int
    held: int


def offload_cuts(*, weights_stay: bool = True) -> tuple[OffloadCut, ...]:
    """Return every way to put state and work on the host, but for the forward and backward passes, which stay.

    Args:
        weights_stay: whether the 16-bit weights stay on the device too.

    Returns:
        The cuts; those that move least come first, and among them those that hold least.

    Source: Ren et al. 2021, section 3: the data-flow graph of a step; that the two passes do not leave the device,
        because their work grows with the batch.
    Convention: bytes a parameter and step, both directions added.
    Leaves out: that weights on the host are fetched twice in a step, for the forward and the backward pass.

    Example:
        >>> nothing, best = offload_cuts()[:2]
        >>> nothing.moved, best.moved, best.held
        (0, 4, 2)
    """
    free = [name for name in STATE_BYTES if not (flag("weights_stay", weights_stay) and name == "16-bit weights")]
    free += list(WORK[1:])
    cuts = []
    for places in itertools.product((False, True), repeat=len(free)):
        on_host = frozenset(name for name, away in zip(free, places, strict=True) if away)
        moved = sum(size for source, target, size in FLOWS if (source in on_host) != (target in on_host))
        held = sum(size for name, size in STATE_BYTES.items() if name not in on_host)
        cuts.append(OffloadCut(on_host, moved, held))
    return tuple(sorted(cuts, key=lambda cut: (cut.moved, cut.held, sorted(cut.on_host))))
