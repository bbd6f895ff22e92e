"""Formulas: training runs whose hours, energy, carbon or price their makers published."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import nonnegative_number, positive_number, text_fields

READ = "2026-11-23"
_LLAMA_1 = "Touvron et al. 2023 (LLaMA), table 15: 400 W, PUE 1.1, 0.385 kg a kWh"
_LLAMA_3 = "meta-llama/llama-models, models/llama3_1/MODEL_CARD.md: 700 W, by location"


@dataclass(frozen=True)
class PublishedTraining:
    """One run, as it was printed.

    Attributes:
        name: the model.
        device_hours: hours of all devices together.
        device_watts: power of one device, as the source takes it.
        energy_mwh: printed energy, at least 0; 0 where none is printed.
        tonnes: printed tonnes of CO₂ equivalent, at least 0.
        source: where.
        read: when it was read there.

    Raises:
        ValueError: if a number is out of its range.

    Example:
        >>> run = PublishedTraining("mine", 1000, 400, 0.5, 0.2, "my own meter")
        >>> run.energy_mwh
        0.5
    """

    name: str
    device_hours: float
    device_watts: float
    energy_mwh: float
    tonnes: float
    source: str
    read: str = READ

    def __post_init__(self) -> None:
        text_fields(self, "name", "source", "read")
        positive_number("device_hours", self.device_hours), positive_number("device_watts", self.device_watts)
        nonnegative_number("energy_mwh", self.energy_mwh), nonnegative_number("tonnes", self.tonnes)


LLAMA_TABLE = tuple(
    PublishedTraining(name, hours, 400, energy, tonnes, _LLAMA_1)
    for name, hours, energy, tonnes in (
        ("LLaMA 7B", 82_432, 36, 14),
        ("LLaMA 13B", 135_168, 59, 23),
        ("LLaMA 33B", 530_432, 233, 90),
        ("LLaMA 65B", 1_022_362, 449, 173),
        ("OPT 175B", 809_472, 356, 137),
        ("BLOOM 175B", 1_082_880, 475, 183),
    )
)
LLAMA_3_CARD = tuple(
    PublishedTraining(name, hours, 700, 0, tonnes, _LLAMA_3)
    for name, hours, tonnes in (
        ("Llama 3.1 8B", 1.46e6, 420),
        ("Llama 3.1 70B", 7.0e6, 2_040),
        ("Llama 3.1 405B", 30.84e6, 8_930),
    )
)
# DeepSeek-AI 2024, table 1: thousands of H800 hours of pre-training, context extension and post-training.
DEEPSEEK_V3_KILOHOURS = {"pre-training": 2_664, "context extension": 119, "post-training": 5}
# MLPerf Training 3.0 (June 2023), GPT-3 175B on H100 of NVIDIA and CoreWeave: GPUs, minutes.
MLPERF_GPT3_MINUTES = {768: 45.606, 1536: 23.611, 3584: 10.940}
