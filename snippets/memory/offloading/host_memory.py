"""Formulas: the memory of a host beside accelerators: how fast its processor reads and writes it."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Catalogue, Checked, as_float, positive_integer, positive_number
from snippets.hardware import GB, READ


@dataclass(frozen=True)
class HostMemory(Checked):
    """The memory of one processor (one socket).

    Attributes:
        bandwidth_bytes_per_s: peak rate; reads and writes **share** it.
        source: who prints it.
        read: the date on which the source was read.

    Raises:
        ValueError: if a number is no integer of at least 1.

    >>> HOSTS["DDR5-4800, 8 channels"].bandwidth_bytes_per_s
    307200000000
    >>> HostMemory("mine", 100 * GB, "measured").bandwidth_bytes_per_s
    100000000000
    """

    name: str
    bandwidth_bytes_per_s: int
    source: str
    read: str = READ


def memory_channels_bytes_per_s(*, transfers_per_s: float, channels: int, channel_bytes: int = 8) -> float:
    """Return the peak rate of a processor's memory channels.

    Formula: $\\beta_\\text{mem} = q_1\\,q_2\\,w_1$
    Symbols: \\beta_\\text{mem} = the result; q_1 = transfers_per_s; q_2 = channels; w_1 = channel_bytes
    Chapter: 24

    Args:
        transfers_per_s: on each channel; DDR5-4800 makes 4,800 million.
        channels: of the socket.
        channel_bytes: bytes of one transfer.

    Returns:
        Bytes a second.

    Source: JEDEC's names of memory: the number behind DDR is millions of transfers a second.
    Convention: reads and writes share it.
    Leaves out: refresh and turnaround, so that programs reach less.

    Example:
        >>> memory_channels_bytes_per_s(transfers_per_s=4800e6, channels=8) / 1e9
        307.2
    """
    rate, width = positive_number("transfers_per_s", transfers_per_s), positive_integer("channel_bytes", channel_bytes)
    return as_float(
        "transfers_per_s, channels and channel_bytes", rate * positive_integer("channels", channels) * width
    )


def _ddr(generation: int, millions: int, channels: int) -> HostMemory:
    rate = round(memory_channels_bytes_per_s(transfers_per_s=millions * 1e6, channels=channels))
    name = f"DDR{generation}-{millions}"
    return HostMemory(f"{name}, {channels} channels", rate, f"JEDEC {name}: {millions} million transfers of 8 bytes")


HOSTS = Catalogue(
    "host",
    HostMemory,
    (
        _ddr(4, 3200, 8),
        _ddr(5, 4800, 8),
        HostMemory(
            "LPDDR5X (Grace, 480 GB)",
            512 * GB,
            "NVIDIA GH200 data sheet, up to 512 GB/s; second-hand, through a vendor's comparison",
        ),
    ),
)
