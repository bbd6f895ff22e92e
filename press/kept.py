"""Keeps what takes long to make, and makes it anew where what was kept is no longer what was written.

A kept file begins with the digest of what it holds, so that one which was cut off or changed is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from grader.whole_files import whole_file

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
    with suppress(FileNotFoundError), whole_file(file) as draft:  # another build may sweep it away: the next makes it
        draft.write_bytes(sha256(content).hexdigest().encode() + content)


def kept(file: Path, make: Callable[[], bytes]) -> bytes:
    """Return what a file keeps; make it if there is none, or none that is whole."""
    content = read_kept(file)
    if content is None:
        content = make()
        write_kept(file, content)
    return content


def digest(parts: Iterable[bytes]) -> str:
    """Return a name for what is made of these parts."""
    total = sha256()
    for part in parts:
        total.update(sha256(part).digest())
    return total.hexdigest()[:40]


def kept_alone(folder: Path, parts: Iterable[bytes], make: Callable[[], bytes]) -> bytes:
    """Return what was made of these parts; only the last that was made stays in the folder."""
    file = folder / digest(parts)
    content = kept(file, make)
    for other in folder.iterdir():
        if other != file:
            other.unlink(missing_ok=True)
    return content


class KeptFolder:
    """Keeps what one build makes, by what it is made of; what a build did not use, it sweeps away.

    Args:
        folder: where it is kept.
        common: what all of it depends on.
    """

    def __init__(self, folder: Path, common: Iterable[bytes]) -> None:
        self._folder = folder
        self._common = digest(common).encode()
        self._used: set[str] = set()

    def key(self, *parts: bytes) -> str:
        """Return the name of what is made of these parts and of what all depends on."""
        return digest([self._common, *parts])

    def read(self, key: str) -> bytes | None:
        """Return what is kept under a name, ``None`` if nothing is, or not the whole of it."""
        self._used.add(key)
        return read_kept(self._folder / key)

    def has(self, key: str) -> bool:
        """Return whether something is kept under a name; reading it shows whether it is whole."""
        return (self._folder / key).exists()

    def write(self, key: str, content: bytes) -> None:
        """Keep something under a name."""
        write_kept(self._folder / key, content)

    def sweep(self) -> None:
        """Remove what this build did not use."""
        for file in self._folder.glob("*"):
            if file.name not in self._used:
                file.unlink(missing_ok=True)
