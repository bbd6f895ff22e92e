"""Formulas: the energy and the carbon of training runs, as they were published."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Checked
from snippets.training_runs import TRAINING_RUNS

READ = "2026-11-23"
_LLAMA_1 = "Touvron et al. 2023 (LLaMA), table 15: 400 W, PUE 1.1, 0.385 kg a kWh"
_LLAMA_3 = "meta-llama/llama-models, models/llama3_1/MODEL_CARD.md: 700 W, by location"


@dataclass(frozen=True)
class PublishedEnergy(Checked):
    """One run, as it was printed.

    Attributes:
        name: the model.
        device_hours: hours of all devices together.
        device_watts: power of one device, as the source takes it.
        energy_mwh: printed energy; ``None`` where none is printed.
        tonnes: printed tonnes of CO₂ equivalent.
        source: where.
        read: when it was read there.

    Raises:
        ValueError: if a number is out of its range.

    Example:
        >>> run = PublishedEnergy("mine", 1000, 400, 0.5, 0.2, "my own meter")
        >>> run.energy_mwh
        0.5
    """

    name: str
    device_hours: float
    device_watts: float
    energy_mwh: float | None
    tonnes: float
    source: str
    read: str = READ


LLAMA_TABLE = tuple(
    PublishedEnergy(name, hours, 400, energy, tonnes, _LLAMA_1)
    for name, hours, energy, tonnes in (
        ("LLaMA 7B", TRAINING_RUNS["LLaMA 7B"].device_hours, 36, 14),
        ("LLaMA 13B", TRAINING_RUNS["LLaMA 13B"].device_hours, 59, 23),
        ("LLaMA 33B", TRAINING_RUNS["LLaMA 33B"].device_hours, 233, 90),
        ("LLaMA 65B", TRAINING_RUNS["LLaMA 65B"].device_hours, 449, 173),
        ("OPT 175B", 809_472, 356, 137),
        ("BLOOM 175B", 1_082_880, 475, 183),
    )
)
LLAMA_3_CARD = tuple(
    PublishedEnergy(name, TRAINING_RUNS[name].device_hours, 700, None, tonnes, _LLAMA_3)
    for name, tonnes in (("Llama 3.1 8B", 420), ("Llama 3.1 70B", 2_040), ("Llama 3.1 405B", 8_930))
)
