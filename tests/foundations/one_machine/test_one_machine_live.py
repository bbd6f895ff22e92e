"""The live figure of chapter 1 says what the formulas give."""

from __future__ import annotations

import re

import pytest

from snippets import flops
from snippets.foundations.one_machine.figures import run_days
from snippets.foundations.one_machine.live import duration, training_days
from snippets.hardware import ACCELERATORS


def test_the_numbers_are_those_of_the_formula() -> None:
    numbers = training_days(model="Llama 2 7B", tokens=2e12, devices=64, utilization=50).numbers
    seconds = flops.training_time_s(parameters=6_738_415_616, tokens=2e12, devices=64, flops_per_s=156e12)
    assert duration(seconds / 86400) in numbers
    assert "6,738,415,616 parameters; 2 trillion tokens, so 6ND is 8.09e+22 FLOP" in numbers
    assert "64 GPUs at 50% of 312 TFLOP/s" in numbers
    assert "The state of 107.8 GB takes 2 GPUs to hold." in numbers


def test_summing_is_the_rings() -> None:
    run = {"parameters": 6_738_415_616, "tokens": 2 * 10**12, "flops_per_s": 124.8e12}
    for devices, batch, bandwidth in ((2, 4e6, 20e9), (3, 4e6, 25e9), (1024, 1e6, 50e9)):
        knobs = {"devices": devices, "batch_tokens": batch, "bandwidth_bytes_per_s": bandwidth}
        _, summing = run_days(devices=devices, batch_tokens=round(batch), bandwidth_bytes_per_s=bandwidth, **run)  # type: ignore[arg-type]
        numbers = training_days(model="Llama 2 7B", tokens=2e12, **knobs).numbers
        assert f"each GPU sends for {duration(summing)}." in numbers
    assert "gradients" not in training_days(model="Llama 2 7B").numbers


def test_too_few_gpus_are_said_to_be_too_few() -> None:
    assert "takes 2 GPUs to hold; 1 is too few." in training_days(model="Llama 2 7B").numbers
    assert "takes 35 GPUs to hold; 8 are too few." in training_days(model="GPT-3 175B", devices=8).numbers


def test_experts_count_as_often_as_a_token_uses_them() -> None:
    numbers = training_days(model="DeepSeek-V3", device="H100 SXM", tokens=1e12).numbers
    work = re.search(r"6ND is (\S+) FLOP", numbers)
    assert work
    assert float(work[1]) == pytest.approx(6 * 37.552297472e9 * 1e12, rel=5e-3)
    assert "671,026,419,200 parameters, of which a token uses" in numbers


@pytest.mark.parametrize("named", training_days.named, ids=lambda named: named.name)
def test_named_settings_notice_what_is_there(named: object) -> None:
    numbers = training_days(**named.values).numbers  # type: ignore[attr-defined]
    said = {
        "The smallest GPT-2": ["16.6 hours, waiting included"],
        "The question": ["20.5 years, waiting included"],
        "In 30 days": ["29.3 days, waiting included", "To sum 13.5 GB of", "each GPU sends for 7.77 days."],
        "The 70B on 256 GPUs": [
            "67.7 days, waiting included",
            "To sum 141.1 GB of",
            "each GPU sends for 3.39 days.",
        ],
    }[named.name]  # type: ignore[attr-defined]
    assert all(words in numbers for words in said)


@pytest.mark.parametrize(
    ("model", "devices"), [("Llama 2 7B", 1), ("GPT-3 175B", 16), ("GPT-3 175B", 1024), ("DeepSeek-V3", 64)]
)
def test_the_days_are_written_beside_the_lines(model: str, devices: int) -> None:
    picture = training_days(model=model, devices=devices, tokens=10**12)
    svg = picture.panels[0].svg()
    said = re.search(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([\d.,]+ (?:years|days|hours))<', svg)
    dashed = re.search(r'<line[^>]*x1="([\d.]+)"[^>]*stroke-dasharray', svg)
    assert said
    assert dashed
    start, end = float(said[1]), float(said[1]) + 7.8 * len(said[3])
    assert not start - 2 < float(dashed[1]) < end + 2
    assert 52 <= start < end <= 324


def test_every_device_has_a_rate_in_16_bits() -> None:
    offered = next(knob for knob in training_days.knobs if knob.name == "device").options  # type: ignore[union-attr]
    assert set(offered) == {name for name, device in ACCELERATORS.items() if device.peaks.bf16 or device.peaks.fp16}
