"""The hardware catalogue against published rows, and its own rules."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets import hardware
from snippets.hardware import ACCELERATORS, DTYPES, GB, LINKS, NODES, Accelerator, Link, Node, Peaks

ROWS = json.loads((Path(__file__).parent / "memory" / "published_memory.json").read_text(encoding="utf-8"))
CHIPS = {
    "V100-SXM2-32GB": "V100 SXM2 32GB",
    "A100-SXM-80GB": "A100 SXM 80GB",
    "H200-SXM": "H200 SXM",
    "B200-SXM": "B200 SXM",
    "TPU-v4": "TPU v4",
    "TPU-v5e": "TPU v5e",
    "TPU-v5p": "TPU v5p",
    "TPU-v6e": "TPU v6e",
}


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["topic"] == "hardware" and "chip" in row["inputs"]], ids=lambda row: row["id"]
)
def test_published_accelerators(row: dict[str, Any]) -> None:
    chip, expected = ACCELERATORS[CHIPS[row["inputs"]["chip"]]], dict(row["expected"])
    near = {"rel": row["tolerance"]["rel"]}
    dtype = "fp16" if "dense_16bit_TFLOPs" in expected else "bf16"
    peak = expected.pop(f"dense_{'16bit' if dtype == 'fp16' else 'bf16'}_TFLOPs")
    assert hardware.dense_peak_flops_per_s(chip, dtype) / 1e12 == pytest.approx(peak, **near)
    assert chip.memory_bytes / GB == pytest.approx(expected.pop("HBM_GB"), **near)
    assert chip.memory_bandwidth_bytes_per_s / GB == pytest.approx(expected.pop("HBM_GBps"), **near)
    assert chip.interconnect is not None
    if "ICI_links" in expected:
        assert chip.interconnect.lanes == expected.pop("ICI_links")
        link = expected.pop("ICI_GBps_per_link_one_way")
        assert chip.interconnect.lane_bytes_per_s / GB == pytest.approx(link, **near)
    else:
        assert chip.interconnect.advertised_bytes_per_s == expected.pop("NVLink_total_GBps") * GB
        assert chip.interconnect.bandwidth_bytes_per_s == expected.pop("NVLink_per_direction_GBps") * GB
        ridge = expected.pop("ridge_flops_per_byte")
        assert float(hardware.ridge_flops_per_byte(chip, dtype)) == pytest.approx(ridge, **near)
    assert not expected


def test_published_node_and_peak() -> None:
    rows = {row["id"]: row for row in ROWS}
    expected, node = rows["dgx-h100-internode"]["expected"], NODES["DGX H100"]
    assert node.network_bytes_per_s == expected["GBps_per_node"] * GB
    assert node.network_bytes_per_s_per_accelerator == expected["GBps_per_gpu"] * GB
    assert node.accelerator.interconnect is not None
    ratio = Fraction(node.accelerator.interconnect.bandwidth_bytes_per_s, node.network_bytes_per_s_per_accelerator)
    assert ratio == expected["nvlink_to_ib_ratio_per_direction"]
    row = rows["hw-peak-H100-SXM"]
    peak = hardware.peak_flops_per_s(
        clock_hz=row["inputs"]["clock_hz"],
        units=row["inputs"]["tensor_cores"],
        fma_per_unit_per_clock=row["inputs"]["fma_per_tensor_core_clk"],
    )
    assert peak / 1e12 == pytest.approx(row["expected"]["TFLOPs"], rel=1e-4)
    assert peak == pytest.approx(hardware.dense_peak_flops_per_s(ACCELERATORS["H100 SXM"], "bf16"), rel=1e-4)


# The data sheets typed a second time, in their own units: TFLOP/s in fp32, tf32, fp16, bf16, fp8, int8; GB; GB/s;
# GB/s one way between accelerators, by how many links.
SHEETS: dict[str, tuple[Any, ...]] = {
    "V100 SXM2 16GB": (15.7, None, 125, None, None, None, 16, 900, 150, 6),
    "V100 SXM2 32GB": (15.7, None, 125, None, None, None, 32, 900, 150, 6),
    "A100 SXM 40GB": (19.5, 156, 312, 312, None, 624, 40, 1555, 300, 12),
    "A100 SXM 80GB": (19.5, 156, 312, 312, None, 624, 80, 2039, 300, 12),
    "H100 SXM": (66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 80, 3350, 450, 18),
    "H100 PCIe": (51, 378, 756, 756, 1513, 1513, 80, 2000, 300, 12),
    "H200 SXM": (66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 141, 4800, 450, 18),
    "H800 SXM": (66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 80, 3350, 200, 8),
    "B200 SXM": (None, None, 2250, 2250, 4500, None, 180, 8000, 900, 18),
    "MI300X": (163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 192, 5300, 448, 7),
    "TPU v4": (None, None, None, 275, None, 275, 32, 1228, 270, 6),
    "TPU v5e": (None, None, None, 197, None, 394, 16, 819, 180, 4),
    "TPU v5p": (None, None, None, 459, None, 918, 95, 2765, 540, 6),
    "TPU v6e": (None, None, None, 918, None, 1836, 32, 1640, 360, 4),
    "GB200": (None, 1250, 2500, 2500, 5000, 5000, 186, 8000, 900, 18),
    "B300 SXM": (None, 1125, 2250, 2250, 4500, None, 270, 8000, 900, 18),
    "GB300": (None, 1250, 2500, 2500, 5000, None, 279, 8000, 900, 18),
    "MI355X": (None, None, 2516.6, 2516.6, 5033.2, None, 288, 8000, 537.6, 7),
    "TPU v7": (None, None, None, 2307, 4614, None, 206.158430208, 7380, 600, 6),  # 192 and 96 GiB
    "Trainium2": (181, 667, 667, 667, 1299, None, 103.079215104, 2900, 640, 4),
}


# TFLOP/s in NVFP4, dense
FP4_SHEETS = {"B200 SXM": 9000, "GB200": 10000, "B300 SXM": 14000, "GB300": 15000}


@pytest.mark.parametrize("name", ACCELERATORS)
def test_only_the_newest_multiply_in_four_bits(name: str) -> None:
    peak = ACCELERATORS[name].peaks.fp4
    assert peak == (FP4_SHEETS[name] * 10**12 if name in FP4_SHEETS else None)


@pytest.mark.parametrize("name", SHEETS)
def test_data_sheets(name: str) -> None:
    chip, sheet = ACCELERATORS[name], SHEETS[name]
    for dtype, teraflops in zip(DTYPES[:6], sheet, strict=False):
        peak = getattr(chip.peaks, dtype)
        assert peak == (None if teraflops is None else round(teraflops * 10) * 10**11), dtype
    assert (chip.memory_bytes, chip.memory_bandwidth_bytes_per_s) == (round(sheet[6] * GB), sheet[7] * GB)
    assert chip.interconnect is not None
    assert (chip.interconnect.bandwidth_bytes_per_s, chip.interconnect.lanes) == (round(sheet[8] * GB), sheet[9])


def test_every_accelerator_and_node_is_held_to_its_sheet() -> None:
    assert set(SHEETS) == set(ACCELERATORS)
    for name, chip, port, bandwidth, domain in (
        ("DGX A100", "A100 SXM 80GB", "InfiniBand HDR", 25, 8),
        ("DGX H100", "H100 SXM", "InfiniBand NDR", 50, 8),
        ("DGX H200", "H200 SXM", "InfiniBand NDR", 50, 8),
        ("HGX H800", "H800 SXM", "InfiniBand NDR", 50, 8),
        ("DGX B200", "B200 SXM", "InfiniBand NDR", 50, 8),
        ("DGX B300", "B300 SXM", "InfiniBand XDR", 100, 8),
        ("GB200 NVL72", "GB200", "InfiniBand NDR", 50, 72),
        ("GB300 NVL72", "GB300", "InfiniBand XDR", 100, 72),
    ):
        node = NODES[name]
        assert (node.accelerator, node.port) == (ACCELERATORS[chip], LINKS[port])
        assert (node.accelerators, node.ports, node.network_bytes_per_s) == (domain, domain, domain * bandwidth * GB)
    hosts = {chip.host.name for chip in ACCELERATORS.values() if chip.host}
    assert hosts == {"PCIe 3.0 x16", "PCIe 4.0 x16", "PCIe 5.0 x16"}
    ports = {"InfiniBand XDR": 100, "Ethernet 10G": 1.25, "Ethernet 25G": 3.125, "Ethernet 100G": 12.5}
    for name, gigabytes in {**ports, "Ethernet 400G": 50, "NVLink-C2C (Grace Hopper)": 450}.items():
        assert LINKS[name].bandwidth_bytes_per_s == gigabytes * GB
    assert [LINKS[name].lanes for name in ports] == [4, 1, 1, 4]
    assert {LINKS[f"PCIe {generation}.0 x16"].lanes for generation in (3, 4, 5)} == {16}
    assert (hardware.GIB, hardware.GB, hardware.TERA) == (1024**3, 1000**3, 1000**4)


@pytest.mark.parametrize(
    ("name", "dtype", "clock_mhz", "units", "each"),
    [
        ("V100 SXM2 32GB", "fp16", 1530, 640, 64),  # tensor cores
        ("V100 SXM2 32GB", "fp32", 1530, 5120, 1),  # CUDA cores
        ("A100 SXM 80GB", "bf16", 1410, 432, 256),
        ("A100 SXM 80GB", "tf32", 1410, 432, 128),
        ("A100 SXM 80GB", "int8", 1410, 432, 512),
        ("A100 SXM 80GB", "fp32", 1410, 6912, 1),
        ("H100 SXM", "bf16", 1830, 528, 512),
        ("H100 SXM", "tf32", 1830, 528, 256),
        ("H100 SXM", "fp8", 1830, 528, 1024),
        ("H100 SXM", "fp32", 1980, 16896, 1),
        ("H100 PCIe", "bf16", 1620, 456, 512),
        ("H100 PCIe", "fp32", 1755, 14592, 1),
        ("MI355X", "fp8", 2400, 256, 4096),  # compute units
        ("MI355X", "bf16", 2400, 256, 2048),
        ("MI300X", "bf16", 2100, 304, 1024),
        ("MI300X", "tf32", 2100, 304, 512),
        ("MI300X", "fp8", 2100, 304, 2048),
        ("MI300X", "fp32", 2100, 304, 128),
        ("TPU v5e", "bf16", 1500, 4, 128 * 128),  # matrix units
        ("TPU v4", "bf16", 1050, 8, 128 * 128),
        ("TPU v5p", "bf16", 1750, 8, 128 * 128),
    ],
)
def test_peaks_follow_from_clocks(name: str, dtype: str, clock_mhz: int, units: int, each: int) -> None:
    peak = hardware.peak_flops_per_s(clock_hz=clock_mhz * 1e6, units=units, fma_per_unit_per_clock=each)
    assert hardware.dense_peak_flops_per_s(ACCELERATORS[name], dtype) == pytest.approx(peak, rel=0.005)


def test_one_direction_is_half_of_what_both_add_up_to() -> None:
    # Corrections 14 and 15: 300 and 450 GB/s a direction, 25 and 50 GB/s a port; 12 and 9 times.
    a100, h100 = LINKS["NVLink 3 (A100)"], LINKS["NVLink 4 (H100)"]
    assert (a100.bandwidth_bytes_per_s, h100.bandwidth_bytes_per_s) == (300 * GB, 450 * GB)
    assert (a100.advertised_bytes_per_s, h100.advertised_bytes_per_s) == (600 * GB, 900 * GB)
    hdr, ndr = LINKS["InfiniBand HDR"], LINKS["InfiniBand NDR"]
    assert (hdr.bandwidth_bytes_per_s, ndr.bandwidth_bytes_per_s) == (25 * GB, 50 * GB)
    assert a100.bandwidth_bytes_per_s == 12 * hdr.bandwidth_bytes_per_s
    assert h100.bandwidth_bytes_per_s == 9 * ndr.bandwidth_bytes_per_s
    for link in LINKS.values():
        both = link.name.startswith(("NVLink", "Infinity", "ICI", "NeuronLink"))
        if both:
            assert link.advertised_bytes_per_s == 2 * link.bandwidth_bytes_per_s
        elif link.name.startswith("PCIe"):
            assert link.advertised_bytes_per_s * 64 // 130 == link.bandwidth_bytes_per_s
        else:
            assert link.advertised_bytes_per_s == link.bandwidth_bytes_per_s


@pytest.mark.parametrize(("generation", "gigabytes"), [(3, 15.754), (4, 31.508), (5, 63.015)])
def test_pcie_after_its_line_code(generation: int, gigabytes: float) -> None:
    assert LINKS[f"PCIe {generation}.0 x16"].bandwidth_bytes_per_s / GB == pytest.approx(gigabytes, abs=5e-4)


def test_every_entry_says_where_it_is_from() -> None:
    for catalogue in (LINKS, ACCELERATORS, NODES):
        for name, entry in catalogue.items():
            assert entry.name == name
            assert len(entry.source) > 10
            assert entry.read in ("2026-11-21", "2026-11-24", "2026-11-29")
    for chip in ACCELERATORS.values():
        unit, size = ("GiB", hardware.GIB) if "GiB" in chip.memory_printed else ("GB", GB)
        assert chip.memory_printed.startswith(f"{chip.memory_bytes // size} {unit} ")
        assert chip.memory_bytes % size == 0
        assert chip.peaks.bf16 or chip.peaks.fp16


@given(st.integers(1, 10**6), st.integers(1, 64), st.integers(1, 200), st.integers(0, 50))
def test_line_code_is_a_share(rate: int, lanes: int, payload: int, extra: int) -> None:
    got = hardware.lane_coded_bytes_per_s(
        transfers_per_s=rate, lanes=lanes, payload_bits=payload, coded_bits=payload + extra
    )
    words = Fraction(rate * lanes, payload + extra)
    assert got == float(words * payload / 8)
    assert hardware.bits_to_bytes_per_s(rate) * 8 == rate


def test_peaks_that_are_not_listed_are_refused() -> None:
    with pytest.raises(ValueError, match=r"dtype must be one that V100 SXM2 16GB lists, fp32, fp16, got 'bf16'"):
        hardware.dense_peak_flops_per_s(ACCELERATORS["V100 SXM2 16GB"], "bf16")
    with pytest.raises(ValueError, match=r"payload_bits must be an integer of at most coded_bits = 8, got 9"):
        hardware.lane_coded_bytes_per_s(transfers_per_s=1, lanes=1, payload_bits=9, coded_bits=8)


def test_entries_of_ones_own_are_checked() -> None:
    chip, link, node = ACCELERATORS["H100 SXM"], LINKS["InfiniBand NDR"], NODES["DGX H100"]
    broken: list[tuple[Any, str, Any]] = [
        (chip, "memory_bytes", 0),
        (chip, "memory_bandwidth_bytes_per_s", -1),
        (chip, "peaks", None),
        (link, "bandwidth_bytes_per_s", 1.5),
        (link, "advertised_bytes_per_s", 0),
        (link, "lanes", 0),
        (node, "accelerators", 0),
        (node, "ports", 0),
        (node, "port", None),
        (node, "accelerator", None),
    ]
    for entry, name, value in broken:
        with pytest.raises((ValueError, TypeError), match=name):
            replace(entry, **{name: value})
    for dtype in DTYPES:
        with pytest.raises(ValueError, match=dtype):
            Peaks(**{dtype: 0})
    assert {field.name for field in fields(Peaks)} == set(DTYPES)
    own = Accelerator("mine", "me", Peaks(fp32=10), 1, "1 B", 4, None, None, "here")
    assert hardware.ridge_flops_per_byte(own, "fp32") == Fraction(5, 2)
    wire = Link("wire", 3, 3, "3 B/s", 1, "here")
    assert Node("box", own, 2, 4, wire, "here").network_bytes_per_s_per_accelerator == 6


@pytest.mark.parametrize(
    ("said", "name"),
    [("H100", "H100 SXM"), ("a100", "A100 SXM 80GB"), ("A100-40GB", "A100 SXM 40GB"), ("b200", "B200 SXM")],
)
def test_what_people_say_names_a_device(said: str, name: str) -> None:
    assert ACCELERATORS[said] is ACCELERATORS[name]
    assert LINKS["ndr"] is LINKS["InfiniBand NDR"]


def test_an_accelerator_is_found_in_any_usual_spelling() -> None:
    assert hardware.dense_peak_flops_per_s("h100-sxm", "BF16") == 989_400 * GB
    assert f"{hardware.ridge_flops_per_byte('H200 SXM', 'bf16'):.1f}" == "206.1"
    with pytest.raises(ValueError, match=r"^accelerator must be one of 'V100 SXM2 16GB', .*got 'V100'$"):
        hardware.dense_peak_flops_per_s("V100", "bf16")
    with pytest.raises(ValueError, match=r"^link must be one of .*'InfiniBand NDR', .*got 'Infiniband'$"):
        LINKS["Infiniband"]


def test_what_no_maker_prints_is_marked() -> None:
    others = ("World Today News", "wccftech", "Hume", "ai-infrastructure.net", "Vengineer")
    entries: list[Link | Accelerator | Node] = [*LINKS.values(), *ACCELERATORS.values(), *NODES.values()]
    marked = [entry.name for entry in entries if "second-hand" in entry.source.lower()]
    assert marked == [entry.name for entry in entries if any(other in entry.source for other in others)]
    assert len(marked) == 4
