"""Formulas: which links the axes of a mesh use in a given order, and how long their traffic takes there."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import NamedTuple

from snippets.composition.device_mesh.formulas import (
    MeshTraffic,
    group_leaving_share,
    group_ranks_in_domain,
    group_traffic_time_s,
    mesh_stride,
)
from snippets.composition.layouts import Placement
from snippets.composition.placed_collectives import slowest_edge_bytes_per_s
from snippets.domain import as_float, positive_integer, positive_number, text

AXIS_LETTERS = "pdct"
"""The axes in torchtitan's order: pipeline, data, context, tensor, the innermost last."""
ORDERS = tuple("".join(order) for order in permutations(AXIS_LETTERS))
"""All 24 orders, the outermost axis first."""


class AxisUse(NamedTuple):
    """What the groups of one axis do: their ranks, how many share a domain, bytes of one rank, seconds.

    >>> AxisUse("t", ranks=8, stride=1, in_domain=4, sent_bytes=8.0, leaving_bytes=2.0, time_s=1.0).inside_bytes
    6.0
    """

    axis: str
    ranks: int
    stride: int
    in_domain: int
    sent_bytes: float
    leaving_bytes: float
    time_s: float

    @property
    def inside_bytes(self) -> float:
        """What stays inside the domain.

        >>> AxisUse("p", ranks=4, stride=8, in_domain=1, sent_bytes=8.0, leaving_bytes=8.0, time_s=1.0).inside_bytes
        0.0
        """
        return self.sent_bytes - self.leaving_bytes


def mesh_axis_uses(
    traffic: MeshTraffic,
    *,
    sizes: Mapping[str, int],
    order: str,
    domain: int,
    domain_bytes_per_s: float,
    port_bytes_per_s: float,
) -> tuple[AxisUse, ...]:
    """Return which links each axis of a mesh uses, and for how long.

    Formula: $T = \\sum_j Q_j / \\beta_j$
    Symbols: T = the sum of the results' times; Q_j = what a rank sends along axis j; β_j = the bandwidth of its groups
    Chapter: 25

    Args:
        traffic: what a GPU sends along each axis.
        sizes: t, c, d and p by their letters.
        order: the four letters, the outermost axis first.
        domain: GPUs of a domain that the mesh uses.
        domain_bytes_per_s: of a GPU's link inside, one direction.
        port_bytes_per_s: of its network port, one direction.

    Returns:
        One for each axis, in the order of ``order``. The gradients' group is that of d and c together, and has the
        stride of d.

    Source: derived; ``group_traffic_time_s``.
    Convention: one axis after the other. A pipeline's slowest edge counts.
    Leaves out: latency, overlap, and what the network loses beyond the ports.

    Example:
        >>> cut = {"sizes": {"t": 2, "c": 1, "d": 2, "p": 1}, "domain": 2}
        >>> sent = MeshTraffic(tensor=9.0, context=0.0, data=1.0, pipeline=0.0)
        >>> links = {"domain_bytes_per_s": 9.0, "port_bytes_per_s": 1.0}
        >>> [use.time_s for use in mesh_axis_uses(sent, **cut, order="pdct", **links)]
        [0.0, 1.0, 0.0, 1.0]
        >>> [use.time_s for use in mesh_axis_uses(sent, **cut, order="tpcd", **links)]
        [9.0, 0.0, 0.0, 0.1111111111111111]
    """
    letters = text("order", order)
    if letters not in ORDERS:
        raise ValueError(f"order must be the letters {', '.join(AXIS_LETTERS)} in any order, got {order!r}")
    if not isinstance(sizes, Mapping) or set(sizes) != set(AXIS_LETTERS):
        raise ValueError(f"sizes must go from the letters {', '.join(AXIS_LETTERS)} to whole numbers, got {sizes!r}")
    if not isinstance(traffic, MeshTraffic):
        raise ValueError(f"traffic must be a MeshTraffic, got {traffic!r}")
    sides = [positive_integer(f"sizes[{axis!r}]", sizes[axis]) for axis in letters]
    inside = positive_number("domain_bytes_per_s", domain_bytes_per_s)
    outside = positive_number("port_bytes_per_s", port_bytes_per_s)
    sent = {"t": traffic.tensor, "c": traffic.context, "d": traffic.data, "p": traffic.pipeline}
    uses = []
    for place, axis in enumerate(letters):
        along = "dc" if axis == "d" else axis
        kappa = group_ranks_in_domain(sides=sides, axes=[letters.index(one) for one in along], domain=domain)
        ranks = sizes["d"] * sizes["c"] if axis == "d" else sizes[axis]
        leaving = sent[axis] * group_leaving_share(ranks=ranks, in_domain=kappa)
        if axis == "p":
            edge = Placement(kappa, ranks // kappa)
            rate = slowest_edge_bytes_per_s(edge, domain_bytes_per_s=inside, port_bytes_per_s=outside)
            time = as_float("traffic, domain_bytes_per_s and port_bytes_per_s", sent[axis] / rate)
        else:
            time = group_traffic_time_s(
                sent_bytes=sent[axis],
                ranks=ranks,
                in_domain=kappa,
                domain_bytes_per_s=inside,
                port_bytes_per_s=outside,
            )
        stride = mesh_stride(place, sides=sides)
        uses.append(AxisUse(axis, ranks, stride, kappa, sent[axis], leaving, time))
    return tuple(uses)
