"""Keeps what takes long to make, and makes it anew where what was kept is no longer what was written.

A kept file begins with the digest of what it holds, so that one which was cut off or changed is noticed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

_LENGTH = 64


def read_kept(file: Path) -> bytes | None:
    """Return what a file keeps, ``None`` if there is no such file or it is not whole."""
    try:
        record = file.read_bytes()
    except OSError:
        return None
    digest, content = record[:_LENGTH], record[_LENGTH:]
    return content if digest == sha256(content).hexdigest().encode() else None


def write_kept(file: Path, content: bytes) -> None:
    """Keep something in a file: the whole of it or nothing, also if several builds do so at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f"{file.name}.{os.getpid()}.part")
    temporary.write_bytes(sha256(content).hexdigest().encode() + content)
    try:
        temporary.replace(file)
    except FileNotFoundError:
        return  # another build has just swept it away; the next one makes it again


def kept(file: Path, make: Callable[[], bytes]) -> bytes:
    """Return what a file keeps; make it if there is none, or none that is whole."""
    content = read_kept(file)
    if content is None:
        content = make()
        write_kept(file, content)
    return content
