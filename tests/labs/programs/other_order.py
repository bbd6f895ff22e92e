"""Runs a lab with a book whose GPipe goes backwards last micro-batch first: ``other_order.py labs/….py options…``.

That is a schedule too, and the one that the GPipe paper draws; but it is not the engine's.
"""

from __future__ import annotations

import dataclasses
import runpy
import sys
from typing import Any

from snippets.parallelism.pipeline import schedules as pipeline_schedules

_gpipe = pipeline_schedules.gpipe


def gpipe(**sizes: Any) -> pipeline_schedules.PipelineSchedule:
    """Return GPipe's schedule with the backwards turned round."""
    schedule = _gpipe(**sizes)
    half = schedule.micro_batches
    orders = tuple((*order[:half], *reversed(order[half:])) for order in schedule.orders)
    return dataclasses.replace(schedule, orders=orders)


if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    pipeline_schedules.gpipe = gpipe
    runpy.run_path(sys.argv[0], run_name="__main__")
