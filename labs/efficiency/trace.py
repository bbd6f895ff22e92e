"""What PyTorch's profiler saw of one rank's step, read from the trace that it exports."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile

MICRO = 1e-6  # a trace counts microseconds
_WIDTHS = {"double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2, "signed char": 1, "int": 4}

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # no lines of the profiler's own among the lab's

Span = tuple[float, float]


class Trace:
    """The events of a step that all ranks take at once, in the order in which they began."""

    def __init__(self, step: Callable[[], Any]) -> None:
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
            dist.barrier()  # no rank starts its profiler, or writes its trace, while another is in its step
            step()
            dist.barrier()
        events = exported(profiler)["traceEvents"]
        self.events = sorted((event for event in events if event.get("ph") == "X"), key=lambda event: event["ts"])

    def spans(self, name: str) -> list[Span]:
        """Return when what has this name began and ended."""
        return [(event["ts"], event["ts"] + event["dur"]) for event in self.events if event["name"] == name]

    @property
    def given(self) -> list[tuple[str, int]]:
        """What gloo was given: each collective's name and the bytes that this rank brought, but for the barriers."""
        calls = []
        for event in self.events:
            kind, _, name = event["name"].partition(":")
            if kind == "gloo" and name != "barrier":
                calls.append((name, _bytes(event["args"])))
        return calls


def exported(profiler: Any) -> dict[str, Any]:
    """Return what a profiler exports, as it would write it into a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(file))
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def _bytes(arguments: dict[str, Any]) -> int:
    """Return the bytes of the first input of an event."""
    return math.prod(arguments["Input Dims"][0]) * _WIDTHS[arguments["Input type"][0]]
