"""What a rank's sockets have sent, as Linux counts it, beside what the labs of this part predict."""

from __future__ import annotations

import os
import socket
import stat
import struct
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from labs.harness import Lab, Row

HEADERS = 0.03  # of what is predicted: gloo puts a few dozen bytes before each message, and the barrier is counted too
_TCP_INFO, _SENT, _AGAIN, _WHOLE = 11, 200, 208, 256  # of struct tcp_info: where bytes sent and sent again stand


def on_gloo(lab: Lab) -> None:
    """Stay on the CPU, for these labs count what gloo's sockets send and time what its threads do."""
    lab.device, lab.backend = torch.device("cpu"), "gloo"
    torch.set_num_threads(1)


def sockets_sent_bytes() -> int | None:
    """Return the bytes that this process has sent over TCP, each once; ``None`` where the system doesn't say."""
    sent = 0
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return None
    for number in numbers:
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            with socket.socket(fileno=os.dup(number)) as connection:
                if connection.family not in (socket.AF_INET, socket.AF_INET6) or connection.type != socket.SOCK_STREAM:
                    continue
                info = connection.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _WHOLE)
        except OSError:  # closed since it was listed
            continue
        if len(info) < _AGAIN + 8:
            return None
        first, again = struct.unpack_from("QQ", info, _SENT)
        sent += first - again
    return sent


def sent_by(operation: Callable[[], Any]) -> int | None:
    """Return what this rank's sockets send in an operation of all ranks, and in a barrier after it."""
    dist.barrier()
    before = sockets_sent_bytes()
    operation()
    dist.barrier()  # what others waited for has left
    after = sockets_sent_bytes()
    return None if before is None or after is None else after - before


def compare_wire(lab: Lab, what: str, *, predicted: float, measured: int | None) -> None:
    """Compare what the sockets have sent with the formula, where the system counts it."""
    if measured is not None:
        near(lab, f"{what}: on the wire", predicted=predicted, measured=measured, unit="bytes", most=HEADERS)


def near(lab: Lab, what: str, *, predicted: float, measured: float, unit: str, most: float) -> None:
    """Add two rows: both numbers, and the share by which they differ, which decides."""
    lab.estimate(what, predicted=predicted, measured=measured, unit=unit)
    apart = abs(measured - predicted) / predicted
    lab.rows.append(Row(f"{what}, off by", "bound", most, apart, "of the prediction"))
