"""The judge's side of an answer: a function whose calls go to the answer's process, and its programs.

A call is one message there and one back. Before the reply, the answer may call back functions that it was given: each
time a message comes, and one goes with the result. An answer that is a program is kept there, and every step of it is a
request of its own. With each message goes what has changed of the arrays that both sides have (``grader.sharing``).

What comes from there is data; anything else, and a process that ends, hangs or sends without end, is this answer's
fault and raises ``Stopped``, as does every later call.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import socket
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from grader import plain
from grader.channel import Channel
from grader.confining import GRACE_S, Limits
from grader.errors import KEPT_CHARACTERS, Stopped
from grader.judging import AnswerError, NotWritten
from grader.sharing import Shared

RECEIVED_BYTES = 64 * 2**20  # what one answer may send in all


class CannotBeLoaded(Exception):
    """A text is no module that can be executed."""

    def __init__(self, expected: str, got: str, trace: str = "") -> None:
        super().__init__(got)
        self.expected, self.got, self.trace = expected, got, trace


class AnswerProxy:
    """Stands for a function in an answer's process: what it is called with goes there, what it returns comes back.

    Attributes:
        changed: the name of an argument that the last call changed in place, or ``""``.
        printed: what the answer has printed, cut.
    """

    def __init__(self, connection: socket.socket, limits: Limits, process: int, end: Callable[[], str]) -> None:
        self.changed, self.printed = "", ""
        self._limits, self._left_s, self._process, self._end = limits, limits.time_s, process, end
        self._delayed_s = _delayed_s(os.getpid())
        self._channel = Channel(connection)
        self._shared = Shared(judge=True)
        self._callbacks: list[Callable[..., Any]] = []
        self._dropped: list[Any] = []
        self._stopped: Stopped | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the answer; a program of the answer's comes back as a generator."""
        self.changed = ""
        reply = self.ask(call=[self._encoded(list(args)), self._encoded(kwargs)])
        if "generator" in reply:
            return _Program(self, reply["generator"])
        with self._reading():
            self.changed = clean(str(reply["changed"]))[:100]
            return plain.decode(reply["value"], self._shared.tags)

    def load(self, text: str, name: str, file: str) -> bool:
        """Let the answer's process execute a text, and say whether it has a function of a name.

        Raises:
            CannotBeLoaded: the text cannot be executed, or the name is no function's.
        """
        try:
            found = self.ask(load=[text, name, file]).get("loaded")
        except AnswerError as error:
            syntax = error.text.startswith(f"{file}, line ")
            expected = "a file that Python can read" if syntax else "a file that can be imported"
            raise CannotBeLoaded(expected, error.text, error.trace) from None
        except NotWritten:
            raise CannotBeLoaded("a file that can be imported", "NotImplementedError when it is imported") from None
        except Stopped as stop:
            raise CannotBeLoaded(stop.expected, stop.got) from None
        if found == "value":
            raise CannotBeLoaded(f"a function {name}", f"{name} is no function")
        return found == "function"

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return its reply, computing what the answer calls back meanwhile."""
        reply = self._exchanged(request)
        while "callback" in reply:
            reply = self._exchanged(self._called_back(reply["callback"]))
        with self._reading():
            if "stopped" in reply:
                expected, got = (clean(str(text)) for text in reply["stopped"])
                self._stop(expected or self._in_time, got)
            if "raised" in reply:
                text, trace, kind = (clean(str(part)) for part in reply["raised"])
                raise NotWritten(text) if kind == "NotImplementedError" else AnswerError(text[:400], trace[:5000])
        return reply

    def __enter__(self) -> AnswerProxy:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def close(self) -> None:
        """End the answer's process."""
        self._end()

    @property
    def _in_time(self) -> str:
        return f"a result within {self._limits.time_s:g} s"

    def _exchanged(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a message and return the next one that comes."""
        if self._stopped:
            raise self._stopped
        dropped, self._dropped = self._dropped, []
        message = {**request, "left_s": self._left_s, "dropped": dropped, "shared": self._shared.changes()}
        began = time.monotonic()
        self._channel.until = began + self._left_s + GRACE_S
        with self._reading():
            try:
                self._channel.send(message)
                reply = self._channel.receive()
            except (OSError, EOFError):
                late, how = time.monotonic() - began > self._left_s, self._end()
                if late:
                    self._stop(self._in_time, "still running: it was stopped")
                self._stop("a result", f"the process ended before there was one ({how})")
            if self._channel.received > RECEIVED_BYTES:
                self._stop("less data", f"more than {RECEIVED_BYTES // 2**20} MiB is sent")
            self._shared.apply(reply["shared"])
            self.printed = (self.printed + clean(str(reply["printed"])))[:KEPT_CHARACTERS]
        self._take_off(time.monotonic() - began)
        if self._left_s <= 0 and "stopped" not in reply:
            self._stop(self._in_time, "still running")
        return reply

    def _take_off(self, waited_s: float) -> None:
        """Take a wait off the time that is left, but not what the two processes spent waiting for a processor."""
        self._left_s -= waited_s
        if self._left_s < self._limits.time_s / 2:
            delayed_s = _delayed_s(self._process) + _delayed_s(os.getpid())
            self._left_s = min(self._limits.time_s, self._left_s + delayed_s - self._delayed_s)
            self._delayed_s = delayed_s

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Stop the answer where what it sends is not as it should be."""
        try:
            yield
        except (AnswerError, NotWritten):
            raise
        except Exception as error:
            self._stop("a result", f"what the answer's process sends is no data ({type(error).__name__})")

    def _stop(self, expected: str, got: str) -> NoReturn:
        """End the answer: this call and all that follow say so."""
        self._stopped = Stopped(expected, got)
        self._end()
        raise self._stopped

    def _called_back(self, asked: Any) -> dict[str, Any]:
        """Compute a function that the answer was given, and return the message with its result."""
        with self._reading():
            number, args, kwargs = asked
            function, args, kwargs = self._callbacks[number], plain.decode(args), plain.decode(kwargs)
        try:
            return {"result": self._encoded(function(*args, **kwargs))}
        except Exception as error:
            return {"failed": [type(error).__name__, str(error)]}

    def _encoded(self, value: Any) -> Any:
        return plain.encode(value, self._special)

    def _special(self, value: Any, part: Callable[[Any], Any]) -> Any:
        """Encode what is shared by its token, and a function by its number, by which it is called back."""
        found = self._shared.special(value, part)
        if found is not None or not callable(value) or dataclasses.is_dataclass(value):
            return found
        known = next((n for n, one in enumerate(self._callbacks) if one is value), None)
        if known is None:
            self._callbacks.append(value)
        return {"callback": len(self._callbacks) - 1 if known is None else known}

    # For programs.

    def step(self, **request: Any) -> Any:
        """Let a program go on, and return what it yields; ``StopIteration`` has what it returns."""
        reply = self.ask(**request)
        with self._reading():
            if "returned" not in reply:
                return plain.decode(reply["yielded"], self._shared.tags)
            value = plain.decode(reply["returned"])
        raise StopIteration(value)

    def sent(self, program: Any, value: Any) -> Any:
        """Send a value into a program."""
        return self.step(send=[program, self._encoded(value)])

    def drop(self, program: Any) -> None:
        """Forget a program, with the next request."""
        self._dropped.append(program)


def _delayed_s(process: int) -> float:
    """Return for how long a process has waited for a processor so far, where Linux tells."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class _Program(Generator[Any, Any, Any]):
    """A generator in the answer's process."""

    def __init__(self, proxy: AnswerProxy, number: Any) -> None:
        self._proxy, self._number, self._ended = proxy, number, False

    def send(self, value: Any) -> Any:
        return self._gone_on(lambda: self._proxy.sent(self._number, value))

    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None) -> Any:
        error = kind if isinstance(kind, BaseException) else kind(*([] if value is None else [value]))
        return self._gone_on(lambda: self._proxy.step(throw=[self._number, type(error).__name__, str(error)]))

    def close(self) -> None:
        if not self._ended:
            self._ended = True
            self._proxy.ask(close=[self._number])

    def _gone_on(self, step: Callable[[], Any]) -> Any:
        if self._ended:
            raise StopIteration
        try:
            return step()
        except BaseException:
            self._ended = True
            raise

    def __del__(self) -> None:
        if not self._ended:
            self._proxy.drop(self._number)


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text without what controls a terminal, and with what cannot be written replaced.

    >>> clean("\\x1b[2Jred\\r\\n\\ud800")
    '?[2Jred?\\n?'
    """
    return _CONTROLS.sub("?", text)
