"""What the library boxes of chapters 4, 5, 17, 19 and 20 say of PyTorch, asked of the release that is installed."""

from __future__ import annotations

from launching import Launcher

BOXES = "tests/labs/programs/library_boxes.py"


def test_pytorch_does_what_the_boxes_say(launch: Launcher) -> None:
    launch(BOXES, ranks=2).assert_agrees()
