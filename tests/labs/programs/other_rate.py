"""Runs a lab whose ranks take longer local steps than its oracle knows: ``other_rate.py labs/….py options…``."""

from __future__ import annotations

import runpy
import sys
from typing import Any

import torch

from labs.efficiency import meetings


def longer(parameters: list[Any], losses: Any, optimizer: Any, meet: Any, *, steps: int) -> None:
    """Train as the lab does, with half as much again for a rate where the parameters are one bowl's place."""
    if isinstance(optimizer, torch.optim.SGD) and len(parameters) == 1:
        optimizer.param_groups[0]["lr"] *= 1.5
    train(parameters, losses, optimizer, meet, steps=steps)


if __name__ == "__main__":
    train, meetings.train = meetings.train, longer
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
