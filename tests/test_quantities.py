"""Numbers with units: what is taken, by what an argument is in, and what is refused."""

from __future__ import annotations

import inspect
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets import commands
from snippets.index import find_formula, formula_modules
from snippets.quantities import _NAMED, _UNITS, _kind, is_unit, read_quantity

TAKEN = [
    ("size_bytes", "14GB", 14_000_000_000),
    ("size_bytes", "80 GB", 80_000_000_000),
    ("size_bytes", "80G", 80_000_000_000),
    ("size_bytes", "64KiB", 65_536),
    ("size_bytes", "1.5 MiB", 1_572_864),
    ("size_bytes", "14gb", 14_000_000_000),
    ("size_bytes", "70B", 70),
    ("memory_bytes", "141GB", 141_000_000_000),
    ("element_bytes", "2B", 2),
    ("bytes_per_parameter", "16 bytes", 16),
    ("parameters", "70B", 70_000_000_000),
    ("parameters", "13b", 13_000_000_000),
    ("parameters", "7.5B", 7_500_000_000),
    ("parameters", "124M", 124_000_000),
    ("parameters", "13", 13),
    ("tokens", "15T", 15_000_000_000_000),
    ("tokens", "15.6t", 15_600_000_000_000),
    ("tokens", "15,000,000", 15_000_000),
    ("inference_tokens", "300k", 300_000),
    ("mfu", "40%", 0.4),
    ("utilization", "37.5 %", 0.375),
    ("goodput", "100%", 1),
    ("latency_s", "5us", 5e-6),
    ("latency_s", "5µs", 5e-6),  # the micro sign
    ("latency_s", "5μs", 5e-6),
    ("forward_s", "5ms", 0.005),
    ("mtbf_s", "3h", 10_800),
    ("seconds", "2 days", 172_800),
    ("device_hours", "90min", 1.5),
    ("usd_per_gpu_hour", "$2", 2),
    ("usd_per_gpu_hour", "2.50USD/h", 2.5),
    ("usd_per_kwh", "$0.08/kWh", 0.08),
    ("purchase_usd", "$30k", 30_000),
    ("bandwidth_bytes_per_s", "400Gb/s", 50_000_000_000),
    ("bandwidth_bytes_per_s", "400Gbps", 50_000_000_000),
    ("bandwidth_bytes_per_s", "400GB/s", 400_000_000_000),
    ("bandwidth_bytes_per_s", "3.35TB/s", 3_350_000_000_000),
    ("bits_per_s", "200Gb/s", 200_000_000_000),
    ("flops_per_s", "989 TFLOP/s", 989_000_000_000_000),
    ("peak_flops_per_s", "989TFLOPS", 989_000_000_000_000),
    ("peak_flops_per_s", "989.4 Tflop/s", 989_400_000_000_000),
    ("flops", "6ZFLOPs", 6 * 10**21),
    ("flops", "3.8e25 FLOP", 38 * 10**24),
    ("energy_kwh", "1.2MWh", 1200),
    ("clock_hz", "1.83GHz", 1_830_000_000),
    ("device_watts", "700W", 700),
    ("sequence", "8Ki", 8192),
]


@pytest.mark.parametrize(("name", "typed", "number"), TAKEN)
def test_a_number_is_taken_as_it_is_meant(name: str, typed: str, number: float) -> None:
    taken = read_quantity(name, typed, whole=name == "sequence")
    assert taken == number
    assert type(taken) is type(number)


@pytest.mark.parametrize(
    ("name", "typed", "told"),
    [
        ("size_bytes", "5us", "size_bytes must be in bytes, such as 14GB or 64KiB, got '5us'"),
        ("size_bytes", "14Gb", "size_bytes must be in bytes, such as 14GB or 64KiB, got '14Gb'"),
        ("size_bytes", "$14", "size_bytes must be in bytes, such as 14GB or 64KiB, got '$14'"),
        ("size_bytes", "40%", "size_bytes must be in bytes,"),
        ("tokens", "15GB", "tokens must be a count, such as 70B, 15T or 7e9, got '15GB'"),
        ("tokens", "40%", "tokens must be a count,"),
        ("bandwidth_bytes_per_s", "50GB", "must be in bytes or bits a second, such as 50GB/s or 400Gb/s, got '50GB'"),
        ("bandwidth_bytes_per_s", "400G", "must be in bytes or bits a second,"),
        ("bandwidth_bytes_per_s", "400gb/s", "must be in bytes or bits a second,"),
        ("latency_s", "5m", "latency_s must be a time, such as 5us, 3ms or 2h, got '5m'"),
        ("latency_s", "5GB", "latency_s must be a time,"),
        ("flops", "989TFLOPS", "flops must be in FLOP, such as 3.8e25 or 6EFLOP, got '989TFLOPS'"),
        ("flops_per_s", "989GB/s", "flops_per_s must be in FLOP a second, such as 989TFLOP/s,"),
        ("mfu", "40GB", "mfu must be a number, such as 0.4, 40% or 7e9, got '40GB'"),
        ("loss_nats", "2.1GB", "loss_nats must be a plain number, got '2.1GB'"),
        ("purchase_usd", "$2/h", "purchase_usd must be in dollars,"),
        ("kg_per_kwh", "2kWh", "kg_per_kwh must be a plain number,"),
        ("sequence", "8k", "sequence must be one number; write 8000 or 8192, got '8k'"),
        ("elements", "1.5M", "elements must be one number; write 1500000 or 1572864, got '1.5M'"),
    ],
)
def test_what_is_of_another_unit_or_two_numbers_is_refused(name: str, typed: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        read_quantity(name, typed, whole=name == "sequence")


@pytest.mark.parametrize("typed", ["many", "", "1,5", "1,50,000", "GB", "--", "1e9999999999", "٣"])
def test_what_is_no_number_stays_what_it_is(typed: str) -> None:
    assert read_quantity("size_bytes", typed, whole=False) == typed


@given(st.integers(0, 10**6), st.sampled_from(["", "k", "M", "G", "T"]), st.sampled_from(["B", "bytes"]))
def test_prefixes_are_powers_of_a_thousand(number: int, prefix: str, unit: str) -> None:
    power = ["", "k", "M", "G", "T"].index(prefix)
    assert read_quantity("size_bytes", f"{number}{prefix}{unit}", whole=False) == number * 1000**power


@given(st.decimals(0, 10**6, places=3), st.sampled_from([("us", 6), ("ms", 3), ("ns", 9)]))
def test_a_time_is_the_double_that_is_nearest(number: Fraction, unit: tuple[str, int]) -> None:
    exact = Fraction(number) / 10 ** unit[1]
    assert read_quantity("latency_s", f"{number:f}{unit[0]}", whole=False) == float(exact)


def test_every_example_in_a_sentence_is_taken() -> None:
    """What a refusal tells to write for an argument is read for it."""
    names = {
        "bytes of one": "element_bytes",
        "count": "tokens",
        "number": "mfu",
        "plain": "loss_nats",
        "Hz": "clock_hz",
    }
    names |= {
        "bits/s": "bits_per_s",
        "W": "device_watts",
        "USD": "purchase_usd",
        "s": "latency_s",
        "share": "utilization",
    }
    names |= {"bytes": "size_bytes", "bytes/s": "port_bytes_per_s", "FLOP": "flops", "FLOP/s": "flops_per_s"}
    names |= {
        "FLOP/byte": "flops_per_byte",
        "FLOP/token": "flops_per_token",
        "hours": "life_hours",
        "kWh": "energy_kwh",
    }
    assert names.keys() == _UNITS.keys()
    for kind, name in names.items():
        assert _kind(name, whole=False) == kind
        for example in re.findall(r"[\d.]+\S*?(?=,|$| )", _UNITS[kind][1]):
            assert isinstance(read_quantity(name, example, whole=False), int | float), (kind, example)


def test_every_pattern_names_an_argument_that_there_is() -> None:
    functions = [find_formula(name) for name in formula_modules()]
    functions += [commands.memory, commands.train, commands.all_reduce]
    names = {name for function in functions for name in inspect.signature(function).parameters}
    for kind, pattern in _NAMED.items():
        assert any(pattern.search(name) for name in names), kind


def test_a_unit_is_told_from_another_word() -> None:
    assert all(map(is_unit, ("GB", "T", "us", "µs", "%", "Gb/s", "TFLOP/s", "days", "USD")))
    assert not any(map(is_unit, ("ring", "8", "", "bf16", "mixed-adam", "--gpus")))
