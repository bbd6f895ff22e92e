"""Messages over a socket, between the judge and an answer's process: JSON, with its length before it.

What arrives is cleaned here, so that nothing looks at a text that could not be written or would control a terminal.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

from grader.cleaning import cleaned, may_need_cleaning
from grader.plain import NotPlain

MESSAGE_BYTES = 8 * 2**20
_LENGTH = struct.Struct(">I")


class Channel:
    """One end.

    Attributes:
        until: when the other end has to have answered, on the monotonic clock; ``None`` is never.
        received: the bytes that have come.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.until: float | None = None
        self.received = 0

    def send(self, message: dict[str, Any]) -> None:
        """Send a message.

        Raises:
            NotPlain: it is too large.
        """
        data = json.dumps(message).encode()
        if len(data) > MESSAGE_BYTES:
            raise NotPlain(f"it has {len(data)} bytes; at most {MESSAGE_BYTES} are looked at")
        self._wait_until()
        self.connection.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self) -> dict[str, Any]:
        """Return the next message.

        Raises:
            EOFError: there is none any more.
            OSError: it is not there in time, or the other end is gone.
            ValueError: it is no message.
        """
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if length > MESSAGE_BYTES:
            raise NotPlain(f"a message of {length} bytes is announced")
        return message_of(self._read(length))

    def _read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            self._wait_until()
            part = self.connection.recv(min(count - len(data), 2**16))
            if not part:
                raise EOFError
            data += part
            self.received += len(part)
        return bytes(data)

    def _wait_until(self) -> None:
        if self.until is not None:
            self.connection.settimeout(max(0.001, self.until - time.monotonic()))


def message_of(data: bytes) -> dict[str, Any]:
    """Return the message that bytes hold, its texts cleaned.

    Raises:
        ValueError: they hold none.
        RecursionError: it is nested too deep.
    """
    message = json.loads(data)
    if not isinstance(message, dict):
        raise NotPlain("a message must be an object of JSON")
    return cleaned(message) if may_need_cleaning(data) else message
