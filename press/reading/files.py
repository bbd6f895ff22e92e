"""Reads the book's files, and says in a sentence why one cannot be read or written."""

from __future__ import annotations

import errno
from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # the last where a process has a limit of its own
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}
_MARKS = {b"\xef\xbb\xbf": "a byte-order mark", b"\xff\xfe": "the mark of UTF-16", b"\xfe\xff": "the mark of UTF-16"}


class Unreadable(Exception):
    """A file that is no text of the book: on which line, and why."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def read_utf8(path: Path) -> str:
    """Return the text of a file, with one kind of line ends.

    Raises:
        Unreadable: it is no file, may not be read, or is not UTF-8.
    """
    try:
        if not path.is_file():
            raise Unreadable(1, "there is no text file here")
        content = path.read_bytes()
    except OSError as error:
        raise Unreadable(1, f"the file cannot be read: {error.strerror}") from error
    for mark, name in _MARKS.items():
        if content.startswith(mark):
            raise Unreadable(1, f"the file begins with {name}: save it as UTF-8 without a mark")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(line, f"the byte 0x{content[error.start]:02x} is not UTF-8: save the file as UTF-8") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Unreadable(line, "the file holds a null character: save it as UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def why_unwritable(error: OSError) -> str | None:
    """Return what a reader has to do when the book's folder takes no files, ``None`` for any other error.

    >>> why_unwritable(OSError(errno.ENOSPC, "No space left on device", "site/index.html"))
    'site/index.html cannot be written, for the disk is full: make room and build again'
    """
    name = error.filename2 or error.filename or "a file"  # of a copy, the second is the one that is written
    if error.errno in _FULL:
        return f"{name} cannot be written, for the disk is full: make room and build again"
    if error.errno in _FORBIDDEN:
        return (
            f"{name} cannot be opened or written ({error.strerror}): a build writes beside the chapters, into .press "
            "and into site, so copy the book to a folder that you may write to, and build it there"
        )
    return None
