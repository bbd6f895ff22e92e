"""Formulas: the book's catalogue of accelerators, links and nodes, and what follows from a data sheet.

Every figure is a peak that a maker prints. Rates are SI (10⁹ bytes a second is 1 GB/s) and **per direction**; what an
advertisement prints, which adds both directions, is a field of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Catalogue, Checked, as_float, named, positive_integer, positive_number

GB = 10**9
GIB = 2**30
TERA = 10**12

DTYPES = ("fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4")

READ = "2026-11-21"
_READ_25 = "2026-11-24"  # the entries that chapter 25 added
_READ_38 = "2026-11-29"  # the entries that chapter 38 added


@dataclass(frozen=True)
class Peaks(Checked):
    """Dense peak rates of one accelerator in operations a second; ``None`` where it has no such unit or none is listed.

    ``fp32`` is the vector units' rate, the others are the matrix units'. Dense: a data sheet's figure "with sparsity"
    is twice this.

    Raises:
        ValueError: if a rate is neither ``None`` nor an integer of at least 1.

    >>> Peaks(bf16=312 * TERA).bf16
    312000000000000
    """

    fp32: int | None = None
    tf32: int | None = None
    fp16: int | None = None
    bf16: int | None = None
    fp8: int | None = None
    int8: int | None = None
    fp4: int | None = None


@dataclass(frozen=True)
class Link(Checked):
    """All the wires of one kind that leave one device: an accelerator's NVLinks, a slot, a network port.

    Attributes:
        bandwidth_bytes_per_s: peak rate in **one** direction, over all ``lanes``.
        advertised_bytes_per_s: the figure of the advertisement, in bytes a second.
        advertised: that figure as printed.
        lanes: how many links or lanes ``bandwidth_bytes_per_s`` adds up.
        source: who prints it.
        read: the date on which the source was read.

    >>> LINKS["NVLink 4 (H100)"].bandwidth_bytes_per_s, LINKS["NVLink 4 (H100)"].advertised
    (450000000000, '900 GB/s, both directions added')
    >>> Link("my network", 25 * 10**9, 25 * 10**9, "200 Gb/s", lanes=4, source="its invoice").lane_bytes_per_s
    6250000000
    """

    name: str
    bandwidth_bytes_per_s: int
    advertised_bytes_per_s: int
    advertised: str
    lanes: int
    source: str
    read: str = READ

    @property
    def lane_bytes_per_s(self) -> int:
        """The rate of one lane in one direction.

        >>> LINKS["NVLink 3 (A100)"].lane_bytes_per_s
        25000000000
        """
        return self.bandwidth_bytes_per_s // self.lanes


@dataclass(frozen=True)
class Accelerator(Checked):
    """One accelerator as its data sheet describes it.

    Attributes:
        peaks: dense peak rates by number format.
        memory_bytes: capacity, the printed number of GB times 10⁹. Memory is made in powers of two, so a device
            holds a little more than this and a little less than as many GiB: a driver reports 85,198,045,184 bytes
            on an A100 of "80 GB".
        memory_bandwidth_bytes_per_s: peak rate between the memory and the chip.
        interconnect: links to other accelerators, one direction; ``None`` where the book lists none.
        host: the slot that leads to the host, one direction; ``None`` where the book lists none.

    Raises:
        TypeError: if ``peaks`` is no ``Peaks``.
        ValueError: if a number is no integer of at least 1.

    >>> ACCELERATORS["A100 SXM 80GB"].memory_bytes
    80000000000
    >>> from dataclasses import replace
    >>> replace(ACCELERATORS["A100 SXM 80GB"], name="mine", memory_bytes=40 * 10**9).memory_bytes
    40000000000
    """

    name: str
    maker: str
    peaks: Peaks
    memory_bytes: int
    memory_printed: str
    memory_bandwidth_bytes_per_s: int
    interconnect: Link | None
    host: Link | None
    source: str
    read: str = READ

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.peaks, Peaks):
            raise TypeError(f"peaks must be a Peaks, got {self.peaks!r}")
        for name, link in (("interconnect", self.interconnect), ("host", self.host)):
            if not isinstance(link, Link | None):
                raise TypeError(f"{name} must be a Link or None, got {link!r}")


@dataclass(frozen=True)
class Node(Checked):
    """A domain inside which links are fast: equal accelerators that reach one another over ``interconnect``, and ports.

    For a DGX it is one machine of 8, for an NVL72 a rack of 72.

    Attributes:
        ports: network ports that serve the accelerators (storage and management ports are left out).
        port: one of them, one direction.

    Raises:
        TypeError: if ``accelerator`` or ``port`` is of the wrong kind.
        ValueError: if a number is no integer of at least 1.

    >>> NODES["DGX H100"].network_bytes_per_s
    400000000000
    >>> from dataclasses import replace
    >>> replace(NODES["DGX H100"], name="mine", ports=4).network_bytes_per_s
    200000000000
    """

    name: str
    accelerator: Accelerator
    accelerators: int
    ports: int
    port: Link
    source: str
    read: str = READ

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.accelerator, Accelerator):
            raise TypeError(f"accelerator must be an Accelerator, got {self.accelerator!r}")
        if not isinstance(self.port, Link):
            raise TypeError(f"port must be a Link, got {self.port!r}")

    @property
    def network_bytes_per_s(self) -> int:
        """What all network ports send together, one direction.

        >>> NODES["DGX A100"].network_bytes_per_s
        200000000000
        """
        return self.ports * self.port.bandwidth_bytes_per_s

    @property
    def network_bytes_per_s_per_accelerator(self) -> int:
        """The network's share of one accelerator, one direction.

        >>> NODES["DGX H100"].network_bytes_per_s_per_accelerator
        50000000000
        """
        return self.network_bytes_per_s // self.accelerators


def bits_to_bytes_per_s(bits_per_s: float) -> float:
    """Return bytes a second for a network's bits a second.

    Formula: $\\beta = y / 8$
    Symbols: β = the result in bytes a second; y = bits_per_s
    Chapter: 3

    Args:
        bits_per_s: data rate of a port in bits a second; a network's "200 Gb/s" is ``200e9``.

    Returns:
        Bytes a second, in the direction that ``bits_per_s`` was given for.

    Raises:
        ValueError: if the rate is not a finite number above 0.

    Source: definition of the byte.
    Convention: per direction in, per direction out. A port's printed rate is per direction already.
    Leaves out: headers and other overheads of the protocol.

    Example:
        >>> bits_to_bytes_per_s(400e9)
        50000000000.0
    """
    return positive_number("bits_per_s", bits_per_s) / 8


def lane_coded_bytes_per_s(
    *, transfers_per_s: float, lanes: int, payload_bits: int = 128, coded_bits: int = 130
) -> float:
    """Return what a serial bus carries in one direction after its line code.

    Formula: $\\beta = \\frac{y z}{8} \\cdot \\frac{H}{G}$
    Symbols: β = the result in bytes a second; y = transfers_per_s; z = lanes; H = payload_bits; G = coded_bits
    Chapter: 3

    Args:
        transfers_per_s: transfers a second on one lane; one transfer carries one bit.
        lanes: lanes of the slot.
        payload_bits: bits of data in one code word.
        coded_bits: bits on the wire for one code word.

    Returns:
        Bytes a second in one direction.

    Raises:
        ValueError: if an argument is out of its domain, or a code word holds more data than bits.

    Source: PCI Express 3.0 to 5.0 use 128b/130b at 8, 16 and 32 GT/s a lane.
    Convention: per direction. The advertised figure adds both directions and omits the line code.
    Leaves out: packet headers, acknowledgements and flow control.

    Example:
        >>> round(lane_coded_bytes_per_s(transfers_per_s=16e9, lanes=16))
        31507692308
    """
    rate, lanes = positive_number("transfers_per_s", transfers_per_s), positive_integer("lanes", lanes)
    payload, coded = positive_integer("payload_bits", payload_bits), positive_integer("coded_bits", coded_bits)
    if payload > coded:
        raise ValueError(f"payload_bits must be an integer of at most coded_bits = {coded}, got {payload}")
    return as_float("transfers_per_s", rate * lanes / 8 * payload / coded)


def peak_flops_per_s(*, clock_hz: float, units: int, fma_per_unit_per_clock: int) -> float:
    """Return the peak rate that follows from a clock and the multiply-adds that a chip does in one tick.

    Formula: $P = 2 f_{\\text{clock}} z_{\\text{unit}} z_{\\text{fma}}$
    Symbols: P = the result in FLOP a second; f_{\\text{clock}} = clock_hz; z_{\\text{unit}} = units;
        z_{\\text{fma}} = fma_per_unit_per_clock
    Chapter: 2

    Args:
        clock_hz: boost clock in ticks a second.
        units: matrix units (tensor cores) on the chip.
        fma_per_unit_per_clock: fused multiply-adds of one unit in one tick.

    Returns:
        FLOP a second; a multiply-add is two.

    Source: NVIDIA H100 architecture whitepaper: 528 tensor cores, 512 FP16 multiply-adds each a tick, 1,830 MHz.
    Convention: dense; a multiply-add counts as 2 operations.
    Leaves out: that no chip holds its boost clock under full load.

    Example:
        >>> peak_flops_per_s(clock_hz=1.83e9, units=528, fma_per_unit_per_clock=512) / 1e12
        989.42976
    """
    clock, units = positive_number("clock_hz", clock_hz), positive_integer("units", units)
    each = positive_integer("fma_per_unit_per_clock", fma_per_unit_per_clock)
    return as_float("clock_hz", 2 * clock * units * each)


def dense_peak_flops_per_s(accelerator: Accelerator | str, dtype: str) -> int:
    """Return an accelerator's dense peak in one number format.

    Formula: $P$
    Symbols: P = the result in FLOP a second, listed for accelerator and dtype
    Chapter: 2

    Args:
        accelerator: a name in ``ACCELERATORS``, or an ``Accelerator`` of your own.
        dtype: one of ``DTYPES``.

    Returns:
        Operations a second, an exact integer.

    Raises:
        ValueError: if there is no such accelerator or format, or the accelerator lists no peak for it.

    Source: the accelerator's own.
    Convention: dense, not the figure "with sparsity", which is twice as large.
    Leaves out: what a real kernel reaches.

    Example:
        >>> dense_peak_flops_per_s("H100 SXM", "bf16")
        989400000000000
    """
    accelerator, dtype = ACCELERATORS.find(accelerator), named("dtype", dtype, DTYPES)
    peak: int | None = getattr(accelerator.peaks, dtype)
    if peak is None:
        listed = [name for name in DTYPES if getattr(accelerator.peaks, name) is not None]
        raise ValueError(f"dtype must be one that {accelerator.name} lists, {', '.join(listed)}, got {dtype!r}")
    return peak


def wide_peak_flops_per_s(accelerator: Accelerator | str) -> int:
    """Return an accelerator's dense peak in 16 bits: in bfloat16, or in float16 where it has no unit for that.

    Formula: $P$
    Symbols: P = the result in FLOP a second
    Chapter: 26

    Args:
        accelerator: a name in ``ACCELERATORS``, or an ``Accelerator`` of your own.

    Returns:
        Operations a second, an exact integer.

    Raises:
        ValueError: if it lists a peak for neither.

    Source: the accelerator's own.
    Convention: dense.
    Leaves out: what a real kernel reaches.

    Example:
        >>> wide_peak_flops_per_s("V100 SXM2 32GB") == dense_peak_flops_per_s("V100 SXM2 32GB", "fp16")
        True
    """
    found = ACCELERATORS.find(accelerator)
    return dense_peak_flops_per_s(found, "fp16" if found.peaks.bf16 is None and found.peaks.fp16 else "bf16")


def ridge_flops_per_byte(accelerator: Accelerator | str, dtype: str) -> float:
    """Return the arithmetic intensity from which an accelerator's arithmetic, not its memory, is the limit.

    Also: ridge point, machine balance
    Formula: $I^* = P / \\beta_{\\text{mem}}$
    Symbols: I^* = the result in FLOP a byte; P = dense peak of accelerator in dtype; \\beta_{\\text{mem}} = its memory
        bandwidth
    Chapter: 2

    Args:
        accelerator: a name in ``ACCELERATORS``, or an ``Accelerator`` of your own.
        dtype: one of ``DTYPES``.

    Returns:
        FLOP a byte of memory traffic.

    Source: Williams, Waterman and Patterson 2009, the roofline's ridge point.
    Convention: dense peak; reads and writes share one bandwidth.
    Leaves out: caches, and what of both peaks a kernel reaches.

    Example:
        >>> ridge_flops_per_byte("H200 SXM", "bf16")
        206.125
    """
    return dense_peak_flops_per_s(accelerator, dtype) / ACCELERATORS.find(accelerator).memory_bandwidth_bytes_per_s


def _nvlink(generation: int, device: str, links: int, link_gb_per_s: int, source: str) -> Link:
    each_way = links * link_gb_per_s * GB
    printed = f"{2 * links * link_gb_per_s} GB/s, both directions added"
    return Link(f"NVLink {generation} ({device})", each_way, 2 * each_way, printed, links, source)


def _pcie(generation: int, gigatransfers_per_s: int) -> Link:
    payload = int(lane_coded_bytes_per_s(transfers_per_s=gigatransfers_per_s * GB, lanes=16))
    advertised = 4 * gigatransfers_per_s
    return Link(
        name=f"PCIe {generation}.0 x16",
        bandwidth_bytes_per_s=payload,
        advertised_bytes_per_s=advertised * GB,
        advertised=f"{advertised} GB/s, both directions added, before the 128b/130b code",
        lanes=16,
        source=f"PCI Express {generation}.0: {gigatransfers_per_s} GT/s a lane, 128b/130b",
    )


def _port(name: str, gigabits_per_s: int, source: str, lanes: int = 4) -> Link:
    rate = gigabits_per_s * GB // 8
    return Link(name, rate, rate, f"{gigabits_per_s} Gb/s, each direction, in bits", lanes, source)


def _ici(device: str, links: int, link_gb_per_s: int) -> Link:
    each_way = links * link_gb_per_s * GB
    return Link(
        name=f"ICI (TPU {device})",
        bandwidth_bytes_per_s=each_way,
        advertised_bytes_per_s=2 * each_way,
        advertised=f"{2 * link_gb_per_s} GB/s a link, both directions added",
        lanes=links,
        source="Austin et al., How to Scale Your Model, table of ICI bandwidths; its editions print 45 or 50 GB/s"
        " (v4, v5e) and 90 or 100 GB/s (v5p, v6e) for one link one way: the lower is taken",
    )


_NVLINK_SOURCE = "NVIDIA: NVLink links of 25 GB/s each way (generations 2 to 4) and 50 GB/s (5); links by device"
_H800_SOURCE = "Zhao, Deng et al. 2025, section 4: 400 GB/s where the H100 has 900, both directions added"
_INFINIBAND_SOURCE = "NVIDIA InfiniBand adapters (ConnectX-6, -7, -8): rate of a 4x port"

LINKS = Catalogue(
    "link",
    Link,
    (
        _nvlink(2, "V100", 6, 25, _NVLINK_SOURCE),
        _nvlink(3, "A100", 12, 25, _NVLINK_SOURCE),
        _nvlink(4, "H100", 18, 25, _NVLINK_SOURCE),
        _nvlink(4, "H100 PCIe bridge", 12, 25, _NVLINK_SOURCE),
        _nvlink(4, "H800", 8, 25, _H800_SOURCE),
        _nvlink(5, "B200", 18, 50, _NVLINK_SOURCE),
        Link(
            "NVLink-C2C (Grace Hopper)",
            450 * GB,
            900 * GB,
            "900 GB/s, both directions added",
            1,
            "NVIDIA technical blog, Grace Hopper Superchip Architecture In-Depth, 2022",
        ),
        Link(
            "Infinity Fabric (MI300X)",
            448 * GB,
            896 * GB,
            "128 GB/s a link, both directions added",
            7,
            "AMD Instinct MI300X data sheet: 7 links of 128 GB/s",
        ),
        Link(
            "Infinity Fabric (MI355X)",
            537_600 * 10**6,
            1_075_200 * 10**6,
            "153.6 GB/s a link, both directions added",
            7,
            "Second-hand: Hume Consulting on the MI355X, which prints ~153 GB/s a link, both directions; 7 links as on"
            " the MI300X",
            _READ_25,
        ),
        Link(
            "NeuronLink-v3 (Trainium2)",
            640 * GB,
            1280 * GB,
            "1.28 TB/s a chip; taken as both directions added, which the page does not say",
            4,
            "AWS Neuron documentation, Trainium2 architecture and its guide for NKI: four NeuronLink-v3",
            _READ_25,
        ),
        _pcie(3, 8),
        _pcie(4, 16),
        _pcie(5, 32),
        _port("InfiniBand HDR", 200, _INFINIBAND_SOURCE),
        _port("InfiniBand NDR", 400, _INFINIBAND_SOURCE),
        _port("InfiniBand XDR", 800, _INFINIBAND_SOURCE),
        _port("Ethernet 10G", 10, "IEEE 802.3ae", lanes=1),
        _port("Ethernet 25G", 25, "IEEE 802.3by", lanes=1),
        _port("Ethernet 100G", 100, "IEEE 802.3bm and 802.3bj: four lanes of 25 Gb/s"),
        _port("Ethernet 400G", 400, "IEEE 802.3ck: four lanes of 100 Gb/s"),
        _ici("v4", 6, 45),
        _ici("v5e", 4, 45),
        _ici("v5p", 6, 90),
        _ici("v6e", 4, 90),
        Link(
            "ICI (TPU v7)",
            600 * GB,
            1200 * GB,
            "1,200 GB/s a chip, both directions added",
            6,
            "Google Cloud TPU documentation, TPU7x (Ironwood); six links of a 3D torus",
            _READ_25,
        ),
    ),
    aliases={
        "NVLink 2": "NVLink 2 (V100)",
        "NVLink 3": "NVLink 3 (A100)",
        "NVLink 4": "NVLink 4 (H100)",
        "NVLink 5": "NVLink 5 (B200)",
        "NVLink-C2C": "NVLink-C2C (Grace Hopper)",
        "Infinity Fabric": "Infinity Fabric (MI300X)",
        "PCIe 3": "PCIe 3.0 x16",
        "PCIe 4": "PCIe 4.0 x16",
        "PCIe 5": "PCIe 5.0 x16",
        "HDR": "InfiniBand HDR",
        "NDR": "InfiniBand NDR",
        "XDR": "InfiniBand XDR",
    },
)

_AMPERE = Peaks(fp32=19_500 * GB, tf32=156 * TERA, fp16=312 * TERA, bf16=312 * TERA, int8=624 * TERA)
_HOPPER = Peaks(
    fp32=66_900 * GB,
    tf32=494_700 * GB,
    fp16=989_400 * GB,
    bf16=989_400 * GB,
    fp8=1_978_900 * GB,
    int8=1_978_900 * GB,
)
_AMPERE_SOURCE = "NVIDIA A100 data sheet (r4) and Ampere whitepaper, through G. K. Lockwood's notes on the A100"
_HOPPER_SOURCE = "NVIDIA H100 whitepaper and data sheet (sparse figures halved), through G. K. Lockwood's notes"
_TPU_SOURCE = "Google Cloud TPU documentation, system architecture, and Austin et al., How to Scale Your Model"

ACCELERATORS = Catalogue(
    "accelerator",
    Accelerator,
    (
        Accelerator(
            name="V100 SXM2 16GB",
            maker="NVIDIA",
            peaks=Peaks(fp32=15_700 * GB, fp16=125 * TERA),
            memory_bytes=16 * GB,
            memory_printed="16 GB HBM2",
            memory_bandwidth_bytes_per_s=900 * GB,
            interconnect=LINKS["NVLink 2 (V100)"],
            host=LINKS["PCIe 3.0 x16"],
            source="NVIDIA V100 data sheet, SXM2",
        ),
        Accelerator(
            name="V100 SXM2 32GB",
            maker="NVIDIA",
            peaks=Peaks(fp32=15_700 * GB, fp16=125 * TERA),
            memory_bytes=32 * GB,
            memory_printed="32 GB HBM2",
            memory_bandwidth_bytes_per_s=900 * GB,
            interconnect=LINKS["NVLink 2 (V100)"],
            host=LINKS["PCIe 3.0 x16"],
            source="NVIDIA V100 data sheet, SXM2",
        ),
        Accelerator(
            name="A100 SXM 40GB",
            maker="NVIDIA",
            peaks=_AMPERE,
            memory_bytes=40 * GB,
            memory_printed="40 GB HBM2",
            memory_bandwidth_bytes_per_s=1_555 * GB,
            interconnect=LINKS["NVLink 3 (A100)"],
            host=LINKS["PCIe 4.0 x16"],
            source=_AMPERE_SOURCE,
        ),
        Accelerator(
            name="A100 SXM 80GB",
            maker="NVIDIA",
            peaks=_AMPERE,
            memory_bytes=80 * GB,
            memory_printed="80 GB HBM2e",
            memory_bandwidth_bytes_per_s=2_039 * GB,
            interconnect=LINKS["NVLink 3 (A100)"],
            host=LINKS["PCIe 4.0 x16"],
            source=_AMPERE_SOURCE,
        ),
        Accelerator(
            name="H100 SXM",
            maker="NVIDIA",
            peaks=_HOPPER,
            memory_bytes=80 * GB,
            memory_printed="80 GB HBM3",
            memory_bandwidth_bytes_per_s=3_350 * GB,
            interconnect=LINKS["NVLink 4 (H100)"],
            host=LINKS["PCIe 5.0 x16"],
            source=_HOPPER_SOURCE,
        ),
        Accelerator(
            name="H100 PCIe",
            maker="NVIDIA",
            peaks=Peaks(
                fp32=51 * TERA, tf32=378 * TERA, fp16=756 * TERA, bf16=756 * TERA, fp8=1_513 * TERA, int8=1_513 * TERA
            ),
            memory_bytes=80 * GB,
            memory_printed="80 GB HBM2e",
            memory_bandwidth_bytes_per_s=2_000 * GB,
            interconnect=LINKS["NVLink 4 (H100 PCIe bridge)"],
            host=LINKS["PCIe 5.0 x16"],
            source="NVIDIA H100 data sheet, PCIe column (sparse figures halved), through hpctech.co.jp",
        ),
        Accelerator(
            name="H800 SXM",
            maker="NVIDIA",
            peaks=_HOPPER,
            memory_bytes=80 * GB,
            memory_printed="80 GB HBM3",
            memory_bandwidth_bytes_per_s=3_350 * GB,
            interconnect=LINKS["NVLink 4 (H800)"],
            host=LINKS["PCIe 5.0 x16"],
            source="Zhao, Deng et al. 2025: an H100 with slower NVLink; its MFU counts with the H100's bf16 peak."
            " Memory taken as the H100's",
            read=_READ_38,
        ),
        Accelerator(
            name="H200 SXM",
            maker="NVIDIA",
            peaks=_HOPPER,
            memory_bytes=141 * GB,
            memory_printed="141 GB HBM3e",
            memory_bandwidth_bytes_per_s=4_800 * GB,
            interconnect=LINKS["NVLink 4 (H100)"],
            host=LINKS["PCIe 5.0 x16"],
            source="NVIDIA H200 data sheet; the arithmetic is the H100's",
        ),
        Accelerator(
            name="B200 SXM",
            maker="NVIDIA",
            peaks=Peaks(fp16=2_250 * TERA, bf16=2_250 * TERA, fp8=4_500 * TERA, fp4=9_000 * TERA),
            memory_bytes=180 * GB,
            memory_printed="180 GB HBM3e (usable on HGX and DGX)",
            memory_bandwidth_bytes_per_s=8_000 * GB,
            interconnect=LINKS["NVLink 5 (B200)"],
            host=LINKS["PCIe 5.0 x16"],
            source="NVIDIA DGX B200 data sheet, divided by 8, through stas00/ml-engineering; fp4:"
            " pytorch/ao, pull request 2427, which counts with it",
        ),
        Accelerator(
            name="GB200",
            maker="NVIDIA",
            peaks=Peaks(
                tf32=1_250 * TERA,
                fp16=2_500 * TERA,
                bf16=2_500 * TERA,
                fp8=5_000 * TERA,
                int8=5_000 * TERA,
                fp4=10_000 * TERA,
            ),
            memory_bytes=186 * GB,
            memory_printed="186 GB HBM3e",
            memory_bandwidth_bytes_per_s=8_000 * GB,
            interconnect=LINKS["NVLink 5 (B200)"],
            host=None,
            source="One GPU of a GB200 at 1,200 W: G. K. Lockwood's notes on the B200 (of its memory Verda prints 7.7"
            " TB/s); memory: MLPerf Inference v6.1,"
            " Crusoe's description of its system; fp4: NVIDIA Blackwell Architecture Technical Brief, table 2, through"
            " marin-community/marin, pull request 7334",
            read=_READ_25,
        ),
        Accelerator(
            name="B300 SXM",
            maker="NVIDIA",
            peaks=Peaks(tf32=1_125 * TERA, fp16=2_250 * TERA, bf16=2_250 * TERA, fp8=4_500 * TERA, fp4=14_000 * TERA),
            memory_bytes=270 * GB,
            memory_printed="270 GB HBM3e (usable; 288 GB built in)",
            memory_bandwidth_bytes_per_s=8_000 * GB,
            interconnect=LINKS["NVLink 5 (B200)"],
            host=None,
            source="G. K. Lockwood's notes on the B300, HGX variant; usable memory: Verda, GB300 NVL72 architecture,"
            " which prints 7.7 TB/s where Lockwood has 8; fp4: Verda",
            read=_READ_25,
        ),
        Accelerator(
            name="GB300",
            maker="NVIDIA",
            peaks=Peaks(tf32=1_250 * TERA, fp16=2_500 * TERA, bf16=2_500 * TERA, fp8=5_000 * TERA, fp4=15_000 * TERA),
            memory_bytes=279 * GB,
            memory_printed="279 GB HBM3e (usable; 288 GB built in)",
            memory_bandwidth_bytes_per_s=8_000 * GB,
            interconnect=LINKS["NVLink 5 (B200)"],
            host=None,
            source="One GPU of a GB300: Verda, GB300 NVL72 architecture; 360 PFLOP/s of fp8 a rack in G. K. Lockwood's"
            " notes on the B300; fp4: Verda",
            read=_READ_25,
        ),
        Accelerator(
            name="MI355X",
            maker="AMD",
            peaks=Peaks(fp16=2_516_600 * GB, bf16=2_516_600 * GB, fp8=5_033_200 * GB),
            memory_bytes=288 * GB,
            memory_printed="288 GB HBM3E",
            memory_bandwidth_bytes_per_s=8_000 * GB,
            interconnect=LINKS["Infinity Fabric (MI355X)"],
            host=LINKS["PCIe 5.0 x16"],
            source="256 compute units (ROCm documentation); second-hand: 2.4 GHz (AMD at Hot Chips 2025, through"
            " wccftech) and 8,192 FP8 operations a tick (AMD at ISSCC 2026, through World Today News); host: MLPerf"
            " Inference v6.0, AMD",
            read=_READ_25,
        ),
        Accelerator(
            name="MI300X",
            maker="AMD",
            peaks=Peaks(
                fp32=163_400 * GB,
                tf32=653_700 * GB,
                fp16=1_307_400 * GB,
                bf16=1_307_400 * GB,
                fp8=2_614_900 * GB,
                int8=2_614_900 * GB,
            ),
            memory_bytes=192 * GB,
            memory_printed="192 GB HBM3",
            memory_bandwidth_bytes_per_s=5_300 * GB,
            interconnect=LINKS["Infinity Fabric (MI300X)"],
            host=LINKS["PCIe 5.0 x16"],
            source="AMD Instinct MI300X data sheet",
        ),
        Accelerator(
            name="TPU v4",
            maker="Google",
            peaks=Peaks(bf16=275 * TERA, int8=275 * TERA),
            memory_bytes=32 * GB,
            memory_printed="32 GB HBM2",
            memory_bandwidth_bytes_per_s=1_228 * GB,
            interconnect=LINKS["ICI (TPU v4)"],
            host=None,
            source=_TPU_SOURCE,
        ),
        Accelerator(
            name="TPU v5e",
            maker="Google",
            peaks=Peaks(bf16=197 * TERA, int8=394 * TERA),
            memory_bytes=16 * GB,
            memory_printed="16 GB HBM2",
            memory_bandwidth_bytes_per_s=819 * GB,
            interconnect=LINKS["ICI (TPU v5e)"],
            host=None,
            source=_TPU_SOURCE,
        ),
        Accelerator(
            name="TPU v5p",
            maker="Google",
            peaks=Peaks(bf16=459 * TERA, int8=918 * TERA),
            memory_bytes=95 * GB,
            memory_printed="95 GB HBM2e",
            memory_bandwidth_bytes_per_s=2_765 * GB,
            interconnect=LINKS["ICI (TPU v5p)"],
            host=None,
            source=f"{_TPU_SOURCE}; of memory, Google's editions print 95 GB or 95 GiB, which would be 102 GB",
        ),
        Accelerator(
            name="TPU v6e",
            maker="Google",
            peaks=Peaks(bf16=918 * TERA, int8=1_836 * TERA),
            memory_bytes=32 * GB,
            memory_printed="32 GB HBM",
            memory_bandwidth_bytes_per_s=1_640 * GB,
            interconnect=LINKS["ICI (TPU v6e)"],
            host=None,
            source=_TPU_SOURCE,
        ),
        Accelerator(
            name="TPU v7",
            maker="Google",
            peaks=Peaks(bf16=2_307 * TERA, fp8=4_614 * TERA),
            memory_bytes=192 * GIB,
            memory_printed="192 GiB HBM",
            memory_bandwidth_bytes_per_s=7_380 * GB,
            interconnect=LINKS["ICI (TPU v7)"],
            host=None,
            source="Google Cloud TPU documentation, TPU7x (Ironwood)",
            read=_READ_25,
        ),
        Accelerator(
            name="Trainium2",
            maker="AWS",
            peaks=Peaks(fp32=181 * TERA, tf32=667 * TERA, fp16=667 * TERA, bf16=667 * TERA, fp8=1_299 * TERA),
            memory_bytes=96 * GIB,
            memory_printed="96 GiB HBM",
            memory_bandwidth_bytes_per_s=2_900 * GB,
            interconnect=LINKS["NeuronLink-v3 (Trainium2)"],
            host=None,
            source="AWS Neuron documentation, Trainium2 architecture",
            read=_READ_25,
        ),
    ),
    aliases={
        "B300": "B300 SXM",
        "AMD MI355X": "MI355X",
        "TPU7x": "TPU v7",
        "Ironwood": "TPU v7",
        "AWS Trainium2": "Trainium2",
        "V100 16GB": "V100 SXM2 16GB",
        "V100 32GB": "V100 SXM2 32GB",
        "A100 40GB": "A100 SXM 40GB",
        "A100": "A100 SXM 80GB",
        "A100 80GB": "A100 SXM 80GB",
        "A100 SXM": "A100 SXM 80GB",
        "H100": "H100 SXM",
        "H100 80GB": "H100 SXM",
        "H100 SXM5": "H100 SXM",
        "H800": "H800 SXM",
        "H200": "H200 SXM",
        "B200": "B200 SXM",
        "AMD MI300X": "MI300X",
        "Trillium": "TPU v6e",
    },
)

NODES = Catalogue(
    "node",
    Node,
    (
        Node(
            name="DGX A100",
            accelerator=ACCELERATORS["A100 SXM 80GB"],
            accelerators=8,
            ports=8,
            port=LINKS["InfiniBand HDR"],
            source="NVIDIA DGX A100 (640 GB) data sheet: eight single-port ConnectX-6, 200 Gb/s",
        ),
        Node(
            name="DGX H100",
            accelerator=ACCELERATORS["H100 SXM"],
            accelerators=8,
            ports=8,
            port=LINKS["InfiniBand NDR"],
            source="NVIDIA DGX BasePOD reference architecture: eight single-port ConnectX-7, up to 400 Gb/s",
        ),
        Node(
            name="HGX H800",
            accelerator=ACCELERATORS["H800 SXM"],
            accelerators=8,
            ports=8,
            port=LINKS["InfiniBand NDR"],
            source="Zhao, Deng et al. 2025, section 4: eight GPUs and eight ConnectX-7, 400 Gb/s each",
            read=_READ_38,
        ),
        Node(
            name="DGX H200",
            accelerator=ACCELERATORS["H200 SXM"],
            accelerators=8,
            ports=8,
            port=LINKS["InfiniBand NDR"],
            source="NVIDIA DGX BasePOD reference architecture: eight single-port ConnectX-7, up to 400 Gb/s",
        ),
        Node(
            name="DGX B200",
            accelerator=ACCELERATORS["B200 SXM"],
            accelerators=8,
            ports=8,
            port=LINKS["InfiniBand NDR"],
            source="NVIDIA DGX BasePOD reference architecture: eight single-port ConnectX-7, up to 400 Gb/s",
        ),
        Node(
            name="DGX B300",
            accelerator=ACCELERATORS["B300 SXM"],
            accelerators=8,
            ports=8,
            port=LINKS["InfiniBand XDR"],
            source="Second-hand: NVIDIA DGX B300 User Guide, through Vengineer's notes: eight ConnectX-8 ports of"
            " 800 Gb/s",
            read=_READ_25,
        ),
        Node(
            name="GB200 NVL72",
            accelerator=ACCELERATORS["GB200"],
            accelerators=72,
            ports=72,
            port=LINKS["InfiniBand NDR"],
            source="MLPerf Inference v6.1, Crusoe's description of its system: four BlueField-3 with ConnectX-7 for"
            " each four GPUs, taken at 400 Gb/s",
            read=_READ_25,
        ),
        Node(
            name="GB300 NVL72",
            accelerator=ACCELERATORS["GB300"],
            accelerators=72,
            ports=72,
            port=LINKS["InfiniBand XDR"],
            source="NVIDIA, NVL72 AI Factory reference architecture: four ConnectX-8 in each tray of four GPUs; their"
            " rate of 800 Gb/s, second-hand: ai-infrastructure.net",
            read=_READ_25,
        ),
    ),
)
