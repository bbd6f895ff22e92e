"""What is said of an answer that raises, prints or is stopped: the same in its own process and in a page."""

from __future__ import annotations

import io
import traceback

PRINTED_CHARACTERS = 1_000_000  # what an answer may print
KEPT_CHARACTERS = 4000  # what is kept of it


class Stopped(BaseException):
    """An answer has reached a limit. No ``Exception``, so that few answers catch it."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(got)
        self.expected, self.got = expected, got


def describe_error(error: BaseException, file: str) -> str:
    """Return what an exception says, and the line of the answer's file that it came from."""
    line = at_line(error, file)
    if isinstance(error, SystemExit):
        return f"the program is ended by sys.exit{line}: return a value instead"
    try:
        text = " ".join(str(error).split())
    except Exception as raised:
        text = f"what it says cannot be shown ({type(raised).__name__})"
    if isinstance(error, MemoryError) and (not text or text.startswith("Unable to allocate")):  # not the answer's own
        return f"MemoryError: more memory than the limit allows is asked for{line}"
    return f"{type(error).__name__}{': ' if text else ''}{text[:200]}{line}"


def at_line(error: BaseException, file: str) -> str:
    """Return ``" (line 3)"`` for the line of the file that an exception came from, ``""`` if it came from elsewhere."""
    number = line_of(error, file)
    return f" (line {number})" if number else ""


def line_of(error: BaseException, file: str) -> int | None:
    """Return the line of a file that an exception came from, ``None`` if it did not come from there."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return lines[-1] if lines else None


def traceback_of(error: BaseException, file: str, limit: int = 4000) -> str:
    """Return the traceback from the answer's first line on, cut."""
    steps = list(traceback.walk_tb(error.__traceback__))
    first = next((number for number, (frame, _) in enumerate(steps) if frame.f_code.co_filename == file), 0)
    shown = traceback.StackSummary.extract(iter([*steps[first:][:20], *steps[first:][20:][-20:]]))
    text = "".join(shown.format() + traceback.format_exception_only(error))
    return text if len(text) <= limit else f"{text[: limit // 2]}…\n…{text[-limit // 2 :]}"


class Printed(io.TextIOBase):
    """Keeps the first of what an answer prints, and stops an answer that prints too much."""

    def __init__(self, most: int = PRINTED_CHARACTERS) -> None:
        self.most, self.count, self.text = most, 0, ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.count += len(text)
        self.text += text[: max(0, KEPT_CHARACTERS - len(self.text))]
        if self.count > self.most:
            raise Stopped(f"at most {self.most:,} characters printed".replace(",", " "), "more is printed")
        return len(text)
