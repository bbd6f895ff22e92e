"""Simulators: the second process of a loopback measurement: it receives every message whole and sends it back.

It runs as a script of its own, with nothing but the standard library, so that it starts from a notebook, from a test
and on every platform alike.
"""

from __future__ import annotations

import socket
import struct
import sys

HEADER = struct.Struct("!Q")


def serve(port: int, *, host: str = "127.0.0.1", timeout_s: float = 30.0) -> None:
    """Connect to ``port`` and return every message to its sender, until the sender hangs up.

    A message is announced by a header, the number of its bytes.

    Args:
        port: where the measuring process listens.
        host: its address.
        timeout_s: longest wait for the next bytes; a silent sender ends the process with ``TimeoutError``.
    """
    with socket.create_connection((host, port), timeout=timeout_s) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        header, message = bytearray(HEADER.size), bytearray()
        while receive_exactly(link, header):
            size = HEADER.unpack(header)[0]
            if size != len(message):  # memory is asked for once per size, before the messages that count
                message = bytearray(size)
            if not receive_exactly(link, message):
                return
            link.sendall(message)


def receive_exactly(link: socket.socket, buffer: bytearray) -> bool:
    """Fill ``buffer`` from ``link``; return whether the sender stayed long enough."""
    view = memoryview(buffer)
    filled = 0
    while filled < len(buffer):
        count = link.recv_into(view[filled:])
        if count == 0:
            return False
        filled += count
    return True


if __name__ == "__main__":
    serve(int(sys.argv[1]))
