"""Drawings: TO WRITE: what the live figure shows."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number


@live_figure(
    title="TO WRITE: its title",
    caption="TO WRITE: what to try, and what to notice.",
    knobs=[Number("ranks", "Ranks R", 4, 1, 256, 1)],
    named=[
        Named("The question", "TO WRITE: what happens at the question's own numbers.", {"ranks": 4}),
        Named("The 70B on 256 GPUs", "TO WRITE: what happens at the thread's.", {"ranks": 256}),
    ],
)
def profiling_figure(*, ranks: int) -> Picture:
    """Draw TO WRITE: what."""
    panel = Panel(330, 60)
    panel.text(10, 30, "TO WRITE: the live figure")
    return Picture([panel], f"{ranks} ranks. TO WRITE: the numbers.", "TO WRITE: what is to be seen.")
