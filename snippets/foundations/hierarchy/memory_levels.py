"""Formulas: the levels from a GPU's registers to an object store, as one GPU of a DGX H100 sees them.

Each figure has its source and the date on which it was read; what no source was found for is ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Catalogue, Checked
from snippets.hardware import ACCELERATORS, GB, LINKS, NODES, READ

TB = 10**12
READ_LEVELS = "2026-11-23"
CLOCK_HZ = 1.98e9  # the H100's highest clock in Austin et al.'s table, at which cycles become seconds here
STREAMING_MULTIPROCESSORS = 132  # of an H100 SXM: its cores; registers and L1 belong to one of them each


@dataclass(frozen=True)
class MemoryLevel(Checked):
    """One place where bytes can be, seen from one GPU.

    Attributes:
        name: what it is.
        reach: whose it is: of how many users, how far away.
        capacity_bytes: what it holds; ``None`` where there is no limit to speak of.
        bandwidth_bytes_per_s: what one GPU gets of it, reading; for links one direction.
        latency_s: until the first byte is there; ``None`` where no source was found.
        picojoules_per_bit: energy of an access; ``None`` where no source was found.
        how: ``"printed"`` by a maker, ``"measured"``, or ``"derived"`` from printed figures.
        source: who says so.
        read: the date on which the source was read.

    Raises:
        ValueError: a number is not above 0, or a text is none.

    >>> MEMORY_LEVELS["HBM"].bandwidth_bytes_per_s, MEMORY_LEVELS["HBM"].how
    (3350000000000, 'printed')
    >>> from dataclasses import replace
    >>> replace(MEMORY_LEVELS["HBM"], name="mine", capacity_bytes=96 * 10**9).capacity_bytes
    96000000000
    """

    name: str
    reach: str
    capacity_bytes: int | None
    bandwidth_bytes_per_s: int
    latency_s: float | None
    picojoules_per_bit: float | None
    how: str
    source: str
    read: str = READ_LEVELS


_WHITEPAPER = (
    "NVIDIA H100 whitepaper: 64K 32-bit registers and 256 KB of L1 and shared memory an SM, 132 SMs, 50 MB of L2;"
    " all taken in powers of two"
)
_CYCLES = (
    "latency: DeWing, AI_kernels, cycles measured on an H100 SXM, at 1.98 GHz, its highest clock, so at least that"
)
_ENERGY_45NM = "energy: Han et al. 2015, after Horowitz 2014, 45 nm, for 32 bits"
_NODE = NODES["DGX H100"]
_H100 = ACCELERATORS["H100 SXM"]

MEMORY_LEVELS = Catalogue(
    "level",
    MemoryLevel,
    (
        MemoryLevel(
            name="registers",
            reach="of one SM; 132 SMs together",
            capacity_bytes=STREAMING_MULTIPROCESSORS * 2**16 * 4,
            bandwidth_bytes_per_s=66_900 * GB // 2 * 12,
            latency_s=None,
            picojoules_per_bit=1 / 32,
            how="derived",
            source=f"{_WHITEPAPER}; bandwidth: three operands of 4 bytes for each of 33.45e12 fp32 multiply-adds a"
            f" second; {_ENERGY_45NM}",
        ),
        MemoryLevel(
            name="L1 and shared memory",
            reach="of one SM; 132 SMs together",
            capacity_bytes=STREAMING_MULTIPROCESSORS * 256 * 1024,
            bandwidth_bytes_per_s=int(STREAMING_MULTIPROCESSORS * 128 * CLOCK_HZ),
            latency_s=40 / CLOCK_HZ,
            picojoules_per_bit=5 / 32,
            how="derived",
            source=f"{_WHITEPAPER}; bandwidth: 32 banks of 4 bytes a tick (CUDA C++ Programming Guide) at 1.98 GHz;"
            f" {_CYCLES}; {_ENERGY_45NM} (SRAM)",
        ),
        MemoryLevel(
            name="L2",
            reach="of the GPU",
            capacity_bytes=50 * 2**20,
            bandwidth_bytes_per_s=5_500 * GB,
            latency_s=291 / CLOCK_HZ,
            picojoules_per_bit=None,
            how="measured",
            source=f"{_WHITEPAPER}; bandwidth: Chips and Cheese 2023, H100 PCIe, as quoted by Austin et al. 2025;"
            f" {_CYCLES}",
        ),
        MemoryLevel(
            name="HBM",
            reach="of the GPU",
            capacity_bytes=_H100.memory_bytes,
            bandwidth_bytes_per_s=_H100.memory_bandwidth_bytes_per_s,
            latency_s=700 / CLOCK_HZ,
            picojoules_per_bit=3.92,
            how="printed",
            source=f"{_H100.source}; {_CYCLES}; energy: O'Connor et al. 2017, HBM2",
        ),
        MemoryLevel(
            name="HBM of the node's other GPUs",
            reach="over NVLink",
            capacity_bytes=(_NODE.accelerators - 1) * _H100.memory_bytes,
            bandwidth_bytes_per_s=LINKS["NVLink 4 (H100)"].bandwidth_bytes_per_s,
            latency_s=None,
            picojoules_per_bit=None,
            how="derived",
            source=LINKS["NVLink 4 (H100)"].source,
            read=READ,
        ),
        MemoryLevel(
            name="host memory",
            reach="over PCIe 5.0 x16; shared by 8 GPUs",
            capacity_bytes=2 * TB,
            bandwidth_bytes_per_s=LINKS["PCIe 5.0 x16"].bandwidth_bytes_per_s,
            latency_s=None,
            picojoules_per_bit=None,
            how="derived",
            source=f"capacity: NVIDIA's description of its DGX H100 for MLPerf Inference 4.1;"
            f" bandwidth: {LINKS['PCIe 5.0 x16'].source}",
        ),
        MemoryLevel(
            name="memory of another node",
            reach="over one NDR port",
            capacity_bytes=None,
            bandwidth_bytes_per_s=LINKS["InfiniBand NDR"].bandwidth_bytes_per_s,
            latency_s=None,
            picojoules_per_bit=None,
            how="derived",
            source=LINKS["InfiniBand NDR"].source,
            read=READ,
        ),
        MemoryLevel(
            name="one NVMe drive",
            reach="of the node; an older one, PCIe 3.0 x4",
            capacity_bytes=11 * TB,
            bandwidth_bytes_per_s=3_500 * 10**6,
            latency_s=92e-6,
            picojoules_per_bit=None,
            how="printed",
            source="Micron 9200 data sheet: up to 3.50 GB/s sequential, reading and writing (another revision: 2.85 to"
            " 3.15 reading, 1.9 to 2.3 writing), 92 to 150 µs for a 4 KB read alone, 1.6 to 11 TB; these vary by model",
        ),
        MemoryLevel(
            name="object store, one request",
            reach="of the data centre",
            capacity_bytes=None,
            bandwidth_bytes_per_s=85 * 10**6,
            latency_s=0.1,
            picojoules_per_bit=None,
            how="printed",
            source="Amazon S3 user guide: a request for each 85 to 90 MB/s that are wanted, a rule for downloads; first"
            " byte after roughly 100 to 200 ms",
        ),
    ),
)
