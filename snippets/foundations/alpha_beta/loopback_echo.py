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
        timeout_s: longest wait for the next bytes.

    Raises:
        OSError: if nobody listens there, or the sender is silent for longer.

    Example:
        >>> from threading import Thread
        >>> with socket.create_server(("127.0.0.1", 0)) as server:
        ...     echo = Thread(target=serve, args=(server.getsockname()[1],))
        ...     echo.start()
        ...     link, _ = server.accept()
        ...     with link:
        ...         link.sendall(HEADER.pack(3) + b"one")
        ...         answer = bytearray(3)
        ...         received = receive_exactly(link, answer)
        ...     echo.join()
        >>> received, bytes(answer)
        (True, b'one')
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
    """Fill a buffer with what arrives.

    Args:
        link: an open connection.
        buffer: filled from its start to its end.

    Returns:
        Whether it was filled; ``False`` if the sender hung up before.

    Raises:
        OSError: if the connection fails, or nothing arrives within its time limit.

    Example:
        >>> here, there = socket.socketpair()
        >>> with here, there:
        ...     here.sendall(b"abc")
        ...     buffer = bytearray(3)
        ...     receive_exactly(there, buffer)
        True
    """
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
