"""A client of kernels that stops reading when a cell, or all cells of a chapter, show more than a page can hold."""

from __future__ import annotations

from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete

from press.running.outputs import CELL_LIMIT_BYTES, CHAPTER_LIMIT_BYTES, size_bytes


class TooMuchShown(Exception):
    """A cell showed too much; says how much is allowed."""


class LimitedClient(NotebookClient):
    """Runs cells as nbclient does, and counts what arrives."""

    _of_cell = 0
    _of_chapter = 0
    _excess: TooMuchShown | None = None

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Take in a message, unless it is one too many: then give up the cell, whose kernel the caller ends."""
        if msg["msg_type"] in {"stream", "display_data", "execute_result", "update_display_data", "error"}:
            self._count(size_bytes(msg["content"]))
        if self._excess is not None:
            if self.task_poll_for_reply:
                self.task_poll_for_reply.cancel()
            raise CellExecutionComplete
        return super().process_message(msg, cell, cell_index)

    async def async_execute_cell(self, cell: Any, cell_index: int, *args: Any, **kwargs: Any) -> Any:
        """Run a cell.

        Raises:
            TooMuchShown: it shows too much.
        """
        self._of_cell = 0
        try:
            done = await super().async_execute_cell(cell, cell_index, *args, **kwargs)
        except Exception:  # a kernel that died is what nbclient makes of a cell that is given up
            if self._excess is None:
                raise
        if self._excess:
            raise self._excess
        return done

    def _count(self, size: int) -> None:
        self._of_cell += size
        self._of_chapter += size
        allowed = f"what a cell prints and shows may have {CELL_LIMIT_BYTES / 1e6:g} MB"
        if size > CELL_LIMIT_BYTES:
            self._excess = TooMuchShown(f"shows {size / 1e6:.1f} MB at once; {allowed}")
        elif self._of_cell > CELL_LIMIT_BYTES:
            self._excess = TooMuchShown(f"shows too much; {allowed}")
        elif self._of_chapter > CHAPTER_LIMIT_BYTES:
            allowed = f"what the cells of a chapter print and show may have {CHAPTER_LIMIT_BYTES / 1e6:g} MB"
            self._excess = TooMuchShown(f"shows too much; {allowed}")
