"""The judge's side of an answer: a function whose calls go to the answer's process, and its programs.

A call is one message there and one back. Before the reply, the answer may call back functions that it was given: each
time a message comes, and one goes with the result. An answer that is a program is kept there, and every step of it is a
request of its own. With each message goes what has changed of the arrays that both sides have (``grader.sharing``).

What comes from there is data; anything else, and a process that ends, hangs or sends without end, is this answer's
fault and raises ``Stopped``, as does every later call. How long it takes to read counts as the answer's time.

Of a rank program each rank runs in a process of its own (``OnRanks``): what ranks know of each other they have sent.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import time
import weakref
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from grader import plain
from grader.channel import Channel
from grader.confining import GRACE_S, Limits
from grader.errors import KEPT_CHARACTERS, Stopped
from grader.seeing import AnswerError, NotWritten
from grader.sharing import Shared
from grader.timing import at_most

RECEIVED_BYTES = 64 * 2**20  # what one answer may send in all


class CannotBeLoaded(Exception):
    """A text is no module that can be executed."""

    def __init__(self, expected: str, got: str, trace: str = "") -> None:
        super().__init__(got)
        self.expected, self.got, self.trace = expected, got, trace


class Allowance:
    """What one answer may use, in however many processes it runs, and what has become of it.

    Attributes:
        left_s: seconds of the clock that it has left.
        received_bytes: what it has sent.
        printed: what it has printed, cut.
        stopped: why it was ended, if it was.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits, self.left_s = limits, limits.time_s
        self.received_bytes, self.printed = 0, ""
        self.stopped: Stopped | None = None
        self._delayed_s = {os.getpid(): _delayed_s(os.getpid())}

    def take_off(self, waited_s: float, process: int) -> None:
        """Take a wait off the time that is left, but not what the two processes spent waiting for a processor."""
        self.left_s -= waited_s
        if self.left_s < self.limits.time_s / 2:
            for one in (process, os.getpid()):
                delayed_s = _delayed_s(one)
                self.left_s += delayed_s - self._delayed_s.get(one, 0.0)
                self._delayed_s[one] = delayed_s
            self.left_s = min(self.limits.time_s, self.left_s)


class AnswerProxy:
    """Stands for a function in an answer's process: what it is called with goes there, what it returns comes back.

    Attributes:
        changed: the name of an argument that the last call changed in place, or ``""``.
        allowance: what the answer may still use.
    """

    def __init__(self, connection: socket.socket, allowance: Allowance, process: int, end: Callable[[], str]) -> None:
        self.changed, self.allowance = "", allowance
        self._process, self._end = process, end
        self._channel = Channel(connection)
        self._shared = Shared(judge=True)
        self._callbacks: list[Callable[..., Any]] = []
        self._dropped: list[Any] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the answer; a program of the answer's comes back as a generator."""
        self.changed = ""
        given = [plain.encode(one, plain.special_argument) for one in (list(args), kwargs)]
        reply = self.ask(call=[self._encoded(list(args)), self._encoded(kwargs)])
        if "generator" in reply:
            return _Program(self, reply["generator"])
        with self._reading():
            self.changed = _changed(given, reply["arguments"])
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
                expected, got = (str(text)[:400] for text in reply["stopped"])
                raise Stopped(expected or self._in_time, got)
            if "raised" in reply:
                text, trace, kind = (str(part)[:5000] for part in reply["raised"])
                raise NotWritten(text) if kind == "NotImplementedError" else AnswerError(text[:400], trace)
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
        return f"a result within {self.allowance.limits.time_s:g} s"

    def _exchanged(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a message and return the next one that comes."""
        if self.allowance.stopped:
            raise self.allowance.stopped
        dropped, self._dropped = self._dropped, []
        left_s = self.allowance.left_s
        message = {**request, "left_s": left_s, "dropped": dropped, "shared": self._shared.changes()}
        began, before = time.monotonic(), self._channel.received
        self._channel.until = began + left_s + GRACE_S
        try:
            self._channel.send(message)
            reply = self._channel.receive()
        except (OSError, EOFError):
            late, how = time.monotonic() - began > left_s, self._end()
            if late:
                self._stop(self._in_time, "still running: it was stopped")
            self._stop("a result", f"the process ended before there was one ({how})")
        except Exception as error:
            self._stop("a result", _no_data(error))
        self.allowance.take_off(time.monotonic() - began, self._process)
        self.allowance.received_bytes += self._channel.received - before
        with self._reading():
            if self.allowance.received_bytes > RECEIVED_BYTES:
                raise Stopped("less data", f"more than {RECEIVED_BYTES // 2**20} MiB is sent")
            self._shared.apply(reply["shared"])
            self.allowance.printed = (self.allowance.printed + str(reply["printed"]))[:KEPT_CHARACTERS]
        if self.allowance.left_s <= 0 and "stopped" not in reply:
            self._stop(self._in_time, "still running")
        return reply

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Stop the answer where what it sends is not as it should be, or takes more time to read than it has left."""
        began = time.monotonic()
        too_long = Stopped(self._in_time, "what the answer's process sends takes too long to read")
        try:
            with at_most(max(self.allowance.left_s, 0.0) + GRACE_S, too_long):
                yield
        except Stopped as stop:
            self._stop(stop.expected, stop.got)
        except (AnswerError, NotWritten):
            raise
        except Exception as error:
            self._stop("a result", _no_data(error))
        finally:
            self.allowance.take_off(time.monotonic() - began, self._process)

    def _stop(self, expected: str, got: str) -> NoReturn:
        """End the answer: this call and all that follow say so."""
        self.allowance.stopped = Stopped(expected, got)
        self._end()
        raise self.allowance.stopped

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


class OnRanks:
    """Stands for a rank program, of which each rank runs in a process of its own.

    A rank has the same process from one input to the next; it has no other rank's.

    Args:
        start: returns the answer in one more process, with its text loaded there.

    Attributes:
        changed: as in ``AnswerProxy``.
        allowance: what the answer may still use, on all ranks together.
    """

    def __init__(self, start: Callable[[], AnswerProxy]) -> None:
        self._start = start
        self._ranks = {0: start()}
        self._running: weakref.WeakSet[_Program] = weakref.WeakSet()
        self.changed, self.allowance = "", self._ranks[0].allowance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the answer for a rank, which an argument ``rank`` names, or else how many programs are running."""
        rank = kwargs.get("rank")
        number = getattr(rank, "number", rank)
        answer = self._on(number if type(number) is int else sum(not one.ended for one in self._running))
        result = answer(*args, **kwargs)
        self.changed = answer.changed
        if isinstance(result, _Program):
            self._running.add(result)
        return result

    def _on(self, rank: int) -> AnswerProxy:
        if rank not in self._ranks:
            printed = self.allowance.printed
            try:
                self._ranks[rank] = self._start()
            except CannotBeLoaded as error:  # though another rank could load it
                raise Stopped(error.expected, error.got) from None
            self.allowance.printed = printed  # what loading prints is there once
        return self._ranks[rank]

    def __enter__(self) -> OnRanks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for answer in self._ranks.values():
            answer.close()


def _no_data(error: Exception) -> str:
    return f"what the answer's process sends is no data ({type(error).__name__})"


def _changed(before: list[Any], after: Any) -> str:
    """Return the name of the first argument that is another after a call; a positional one has its number.

    Both are encoded arguments: a list, and a dictionary by names.
    """
    if before == after:
        return ""
    if after is None:
        return "an argument"
    one, other = _in_order(before), _in_order(after)
    names = [f"argument {place}" for place in range(1, len(one[0]) + 1)] + [name for name, _ in one[1]["dict"]]
    values = [*one[0], *one[1]["dict"]], [*other[0], *other[1]["dict"]]
    return next((name for name, mine, theirs in zip(names, *values, strict=True) if mine != theirs), "")


def _in_order(data: Any) -> Any:
    """Return encoded data with the entries of sets in one order, whatever process they come from."""
    if isinstance(data, list):
        return [_in_order(entry) for entry in data]
    if isinstance(data, dict):
        return {name: _sorted(inner) if name == "set" else _in_order(inner) for name, inner in data.items()}
    return data


def _sorted(entries: Any) -> list[Any]:
    return sorted(map(_in_order, entries), key=repr)


class _Program(Generator[Any, Any, Any]):
    """A generator in the answer's process."""

    def __init__(self, proxy: AnswerProxy, number: Any) -> None:
        self._proxy, self._number, self.ended = proxy, number, False

    def send(self, value: Any) -> Any:
        return self._gone_on(lambda: self._proxy.sent(self._number, value))

    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None) -> Any:
        error = kind if isinstance(kind, BaseException) else kind(*([] if value is None else [value]))
        return self._gone_on(lambda: self._proxy.step(throw=[self._number, type(error).__name__, str(error)]))

    def close(self) -> None:
        if not self.ended:
            self.ended = True
            self._proxy.ask(close=[self._number])

    def _gone_on(self, step: Callable[[], Any]) -> Any:
        if self.ended:
            raise StopIteration
        try:
            return step()
        except BaseException:
            self.ended = True
            raise

    def __del__(self) -> None:
        if not self.ended:
            self._proxy.drop(self._number)
