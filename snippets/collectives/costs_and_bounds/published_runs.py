"""Formulas: bus bandwidths of all-reduces that others measured and published, with the times that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.collectives.costs_and_bounds.bus_bandwidth import bus_bandwidth_factor
from snippets.domain import Checked, each, positive_integer, positive_number

KIB = 2**10
_BEKMAN = (
    "S. Bekman, Machine Learning Engineering, network/benchmarks/README.md at commit"
    " 0cc3de50b2dd083c34d848a1dcb5bfe65fe3dace"
)
READ = "2026-11-21"


@dataclass(frozen=True)
class PublishedRun(Checked):
    """All-reduces of several sizes on one machine.

    Attributes:
        name: the machine.
        ranks: number of ranks R.
        sizes_bytes: size of the vector, ascending.
        bus_bandwidths_bytes_per_s: bus bandwidth as printed, for each size.
        program: what measured.
        source: where it was published.
        read: when it was read there.

    Raises:
        ValueError: if a number is out of its range or the two tuples differ in length.

    Example:
        >>> pair = PublishedRun("pair", 2, (1000,), (2e9,), "by hand", "nowhere")
        >>> pair.times_s
        (5e-07,)
    """

    name: str
    ranks: int
    sizes_bytes: tuple[int, ...]
    bus_bandwidths_bytes_per_s: tuple[float, ...]
    program: str
    source: str
    read: str = READ

    def __post_init__(self) -> None:
        super().__post_init__()
        each("sizes_bytes", self.sizes_bytes, positive_integer)
        each("bus_bandwidths_bytes_per_s", self.bus_bandwidths_bytes_per_s, positive_number)
        if len(self.sizes_bytes) != len(self.bus_bandwidths_bytes_per_s):
            raise ValueError(
                "sizes_bytes and bus_bandwidths_bytes_per_s must be of one length,"
                f" got {len(self.sizes_bytes)} and {len(self.bus_bandwidths_bytes_per_s)}"
            )

    @property
    def times_s(self) -> tuple[float, ...]:
        """The time of each all-reduce: 2(R − 1)/R of its size over the bus bandwidth."""
        factor = bus_bandwidth_factor("all_reduce", ranks=self.ranks)
        return tuple(
            factor * size / bandwidth
            for size, bandwidth in zip(self.sizes_bytes, self.bus_bandwidths_bytes_per_s, strict=True)
        )


def _gb(*printed: float) -> tuple[float, ...]:
    """Return bytes per second for printed GB/s."""
    return tuple(round(value * 1e9) for value in printed)


_SIZES = tuple(32 * KIB * 2**power for power in range(20))  # 32 KiB to 16 GiB

# fmt: off
B200_FOUR_NODES = PublishedRun(
    "4 nodes of 8 B200", 32, _SIZES,
    _gb(0.65, 1.27, 2.35, 4.06, 6.99, 12.47, 20.79, 31.63, 50.61, 71.80, 142.90, 197.77, 260.50, 283.23, 309.91,
        365.99, 371.26, 374.66, 376.14, 376.71),
    "all_reduce_bench.py", _BEKMAN,
)
H200_NODE = PublishedRun(
    "8 H200", 8, _SIZES,
    _gb(3.20, 6.26, 12.40, 24.63, 48.30, 72.45, 91.48, 139.97, 182.03, 242.45, 298.44, 369.82, 411.21, 442.27, 455.82,
        464.00, 468.31, 473.10, 475.16, 480.70),
    "nccl-tests with NCCL 2.30.7", _BEKMAN,
)
# fmt: on
