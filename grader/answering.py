"""The answer's process: it computes, and hands plain data to the judge, which is another process.

``python -m grader.answering`` is a process that has nothing of the judge's loaded. It forks one process for each
answer, which serves the judge's requests over a socket until it is killed. ``--once PORT`` serves one answer without
forking, where there is no fork. What an answer may do is in ``grader.confining``.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import io
import json
import linecache
import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from types import GeneratorType, ModuleType
from typing import Any

from grader import plain
from grader.channel import Channel
from grader.confining import ROOT, Limits, confine
from grader.errors import Printed, Stopped, at_line, describe_error, traceback_of
from grader.sharing import Shared

MOST_MODULES = 100  # loaded before an answer is: what it loads itself takes its own time


class Answer:
    """One answer, and what the judge's requests need to know of it.

    Args:
        channel: leads to the judge.
        printed: what it prints.
        function: the answer, if it is here already; otherwise ``load`` finds it in a text.
    """

    def __init__(self, channel: Channel, printed: Printed, function: Callable[..., Any] | None = None) -> None:
        self.channel, self.printed = channel, printed
        self.function = function
        self.file = getattr(getattr(function, "__code__", None), "co_filename", "")
        self.generators: dict[int, GeneratorType[Any, Any, Any]] = {}
        self.yielded: Any = None  # the last, kept until the judge has it: else its arrays were gone before they arrive
        self.shared = Shared(judge=False)
        self.tags = {**self.shared.tags, "callback": self._callback, "object": _imported_object}
        self.shared.tags["object"] = _imported_object
        self._printed_until = 0

    def serve(self) -> None:
        """Do what the judge asks, until it hangs up."""
        while True:
            self._reply(self._done(self.channel.receive()))

    def _reply(self, reply: dict[str, Any]) -> None:
        start, self._printed_until = self._printed_until, len(self.printed.text)
        both = {"shared": self.shared.changes(), "printed": self.printed.text[start:]}
        try:
            self.channel.send({**reply, **both})
        except plain.NotPlain as error:
            self.channel.send({"raised": [f"the result cannot be looked at: {error}", "", ""], **both})

    def _done(self, message: dict[str, Any]) -> dict[str, Any]:
        """Carry out a request; what the answer raises is part of the reply."""
        _alarm(message["left_s"])
        try:
            for number in message["dropped"]:
                self.generators.pop(number, None)
            self.shared.apply(message["shared"])
            (what,) = {"load", "call", "send", "throw", "close"} & message.keys()
            reply: dict[str, Any] = getattr(self, f"_{what}")(*message[what])
            _alarm(0)
            return reply
        except Stopped as stop:
            _alarm(0)
            at = at_line(stop, self.file)
            return {"stopped": [stop.expected, f"{stop.got}{at}"]}
        except BaseException as error:
            _alarm(0)
            return {"raised": self._described(error)}

    def _described(self, error: BaseException) -> list[str]:
        kind = "NotImplementedError" if isinstance(error, NotImplementedError) else type(error).__name__
        if isinstance(error, plain.NotPlain):
            return [f"the result cannot be looked at: {error}", "", kind]
        if isinstance(error, SyntaxError) and error.filename == self.file:
            return [f"{self.file}, line {error.lineno}: {error.msg}", "", "SyntaxError"]
        return [describe_error(error, self.file), traceback_of(error, self.file), kind]

    def _load(self, text: str, name: str, file: str) -> dict[str, Any]:
        """Execute a text as a module, and find the function of a name in it."""
        self.file = file
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        module = ModuleType("answers")
        module.__file__ = file
        sys.modules["answers"] = module  # dataclasses look their module up
        exec(compile(text, file, "exec", dont_inherit=True), vars(module))
        self.function = vars(module).get(name)
        return {"loaded": "nothing" if self.function is None else "function" if callable(self.function) else "value"}

    def _call(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """Call the answer; a program is kept, of anything else the result is returned."""
        decoded = plain.decode(args, self.tags), plain.decode(kwargs, self.tags)
        assert self.function is not None
        result = self.function(*decoded[0], **decoded[1])
        if isinstance(result, GeneratorType):
            self.generators[id(result)] = result
            return {"generator": id(result)}
        return {"value": plain.encode(result), "arguments": _as_they_are(decoded)}

    def _send(self, number: int, value: Any) -> dict[str, Any]:
        return self._step(number, lambda program: program.send(plain.decode(value, self.tags)))

    def _throw(self, number: int, kind: str, text: str) -> dict[str, Any]:
        return self._step(number, lambda program: program.throw(_error(kind, text)))

    def _close(self, number: int) -> dict[str, Any]:
        self.generators.pop(number).close()
        return {"value": None}

    def _step(self, number: int, resume: Callable[[GeneratorType[Any, Any, Any]], Any]) -> dict[str, Any]:
        self.yielded = None
        try:
            self.yielded = resume(self.generators[number])
            return {"yielded": plain.encode(self.yielded, self.shared.special)}
        except StopIteration as end:
            del self.generators[number]
            return {"returned": plain.encode(end.value)}

    def _callback(self, number: int, part: Callable[[Any], Any]) -> Callable[..., Any]:
        """Return a function that the judge computes."""

        def call_back(*args: Any, **kwargs: Any) -> Any:
            self._reply({"callback": [number, plain.encode(list(args)), plain.encode(kwargs)]})
            message = self.channel.receive()
            self.shared.apply(message["shared"])
            if "failed" in message:
                raise _error(*message["failed"])
            return plain.decode(message["result"], self.tags)

        return call_back


def _imported_object(inner: Any, part: Callable[[Any], Any]) -> Any:
    importlib.import_module(inner[0].partition(":")[0])
    return plain.decode_object(inner, part)


def _error(kind: str, text: str) -> BaseException:
    """Return an exception of the judge's; one that is not Python's own is a ``RuntimeError``."""
    found = getattr(builtins, kind, None)
    return found(text) if isinstance(found, type) and issubclass(found, BaseException) else RuntimeError(text)


def _as_they_are(arguments: Any) -> Any:
    """Return arguments after a call, for the judge to compare; nothing where they have become too large."""
    try:
        return [plain.encode(one, plain.special_argument) for one in arguments]
    except plain.NotPlain:
        return None


def _alarm(left_s: float) -> None:
    """Let a ``Stopped`` be raised in the answer when its time is over; the judge kills it a moment later."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, max(0.0, left_s), 0.2)


def _ring(_number: int, _frame: Any) -> None:
    raise Stopped("", "still running")


def run(connection: socket.socket, limits: Limits, function: Callable[..., Any] | None = None) -> None:
    """Serve one answer in this process, confined and with nothing open but the connection; does not return."""
    with contextlib.suppress(BaseException):
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        printed = Printed(limits.printed_characters)
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), printed, printed
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _ring)
        confine(limits)
        Answer(Channel(connection), printed, function).serve()
    os._exit(0)


# The process that forks.


def fork(connection: socket.socket, limits: Limits, function: Callable[..., Any] | None = None) -> int:
    """Serve one answer in a fork of this process, and return its number."""
    child = os.fork()
    if child:
        return child
    with contextlib.suppress(BaseException):
        os.setsid()
        os.dup2(connection.fileno(), 3, inheritable=False)
        os.closerange(4, 2**20)
        run(socket.socket(fileno=3), limits, function)
    os._exit(1)


def template(control: socket.socket) -> None:
    """Fork a process for each connection that arrives, with the modules loaded that its answer imports.

    A request is a line of JSON: ``[limits, modules]`` starts an answer, ``[number]`` asks how a process has ended.
    """
    _load(["numpy"])
    running: set[int] = set()
    while True:
        line, descriptors, _, _ = socket.recv_fds(control, 2**16, 1)
        if not line:
            break
        request = json.loads(line)
        if len(request) == 1:
            _, status = os.waitpid(request[0], 0)
            running.discard(request[0])
            control.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())
            continue
        _load(request[1])
        with socket.socket(fileno=descriptors[0]) as connection:
            child = fork(connection, Limits(**request[0]))
        running.add(child)
        control.send(json.dumps(child).encode())
    for child in running:  # the judge is gone
        os.kill(child, signal.SIGKILL)


def _load(modules: Iterable[str]) -> None:
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def modules_to_load(text: str) -> tuple[str, ...]:
    """Return modules of the book that an answer names, at most ``MOST_MODULES``: the others it can load itself.

    >>> modules_to_load("import os\\nfrom snippets.simulation.machine import Send\\n# snippets.a0\\n")
    ('snippets.simulation.machine',)
    """
    named = dict.fromkeys(re.findall(r"\b(snippets(?:\.\w+)+)", text))
    return tuple(name for name in named if name in _book_modules())[:MOST_MODULES]


@functools.cache
def _book_modules() -> frozenset[str]:
    """Return the names of all modules of the book: a text can name others without end."""
    paths = (path.relative_to(ROOT).with_suffix("") for path in (ROOT / "snippets").rglob("*.py"))
    return frozenset(".".join(path.parts).removesuffix(".__init__") for path in paths)


def main() -> None:
    """Fork answers for the judge at the other end of the standard input, or serve one, with ``--once``."""
    if sys.argv[1:2] == ["--once"]:
        token, limits, modules = json.loads(sys.stdin.readline())
        _load(["numpy", *modules])
        connection = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
        connection.sendall(bytes.fromhex(token))
        run(connection, Limits(**limits))
    template(socket.socket(fileno=os.dup(0)))


if __name__ == "__main__":
    main()
