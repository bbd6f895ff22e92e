"""The reader's files, one an exercise, made from its stub and then left alone; and other people's submissions."""

from __future__ import annotations

import codecs
import importlib.util
import io
import os
import re
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.catalogue import Chapter
from grader.cleaning import shown_name
from grader.source import stub_of
from grader.whole_files import write_whole

try:
    from lzma import LZMAError
except ImportError:  # a Python that was built without it says that it cannot read such a zip
    LZMAError = zipfile.BadZipFile  # type: ignore[assignment, misc]

MOST_BYTES = 2**20  # of an answer; the longest solution has 2,000
OLD = "answers.py"  # one file for a chapter, beside its exercises, as answers were kept before

# What Python raises for zips that are damaged, or made to look so.
UNREADABLE_ZIP = (
    *(OSError, EOFError, RuntimeError, ValueError, OverflowError),
    *(struct.error, zipfile.BadZipFile, zlib.error, LZMAError),
)


class Unreadable(Exception):
    """There is something in an answer's place that is no text; the message says what."""


@dataclass(frozen=True)
class Written:
    """What somebody wrote: the file's name, and the text."""

    file: str
    text: str


def answers_of(chapter: Chapter) -> Path:
    """Return the folder of the reader's answers to a chapter: ``answers/`` stands beside ``exercises/``."""
    return chapter.folder.parents[2] / "answers" / chapter.address


def prepare(chapter: Chapter, names: Iterable[str]) -> str:
    """Make the files of answers that are missing, and return what the reader is to be told.

    Where a chapter's old file has an answer, the new one starts with all of that file, unless it cannot be read.
    """
    folder, old = answers_of(chapter), chapter.folder / OLD
    kept, said = _old(old) if os.path.lexists(old) else ("", "")
    made: list[str] = []
    copied: list[str] = []
    failed: list[str] = []
    for name in names:
        path = folder / f"{name}.py"
        if os.path.lexists(path):
            continue
        has_it = re.search(rf"^def {name}\b", kept, re.MULTILINE)
        try:
            write_whole(path, kept if has_it else stub_of(chapter.exercises[name]))
        except OSError as error:
            failed.append(f"{path.name} could not be made: {error.strerror or error}")
            continue
        (copied if has_it else made).append(path.name)
    news = [f"{', '.join(made)} made from {'its stub' if len(made) == 1 else 'their stubs'}"] if made else []
    news += (
        [f"{', '.join(copied)} copied from exercises/{chapter.address}/{OLD}, which stays as it is"] if copied else []
    )
    write = " Write your answers there." if news else ""
    news += failed
    return f"answers/{chapter.address}/: {'; '.join(news)}.{write}{said}" if news else ""


def _old(path: Path) -> tuple[str, str]:
    """Return the text of a chapter's old file of answers, and what is to be said of it."""
    try:
        text = read(path).text
        compile(text, path.name, "exec", dont_inherit=True)
    except (Unreadable, SyntaxError, ValueError, RecursionError) as error:
        return "", f" {path.name} of old is kept, and not taken in: {error}."
    return text, ""


def is_untouched(chapter: Chapter, name: str) -> bool:
    """Say whether nobody has written an answer yet."""
    try:
        return read(answers_of(chapter) / f"{name}.py").text == stub_of(chapter.exercises[name])
    except FileNotFoundError:
        return True
    except Unreadable:
        return False


def read(path: Path) -> Written:
    """Return the text of a file.

    Raises:
        FileNotFoundError: there is nothing of this name.
        Unreadable: it is no file, cannot be read, is too large, or is no text.
    """
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind):
            raise Unreadable(f"it is {_KINDS.get(stat.S_IFMT(kind), 'no file')}")
        with path.open("rb") as file:
            return Written(shown_name(path.name), as_text(file.read(MOST_BYTES + 1)))
    except FileNotFoundError:
        if path.is_symlink():
            raise Unreadable("it is a link to a file that does not exist") from None
        raise
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror}") from error


_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def as_text(data: bytes) -> str:
    """Return what Python would read, in the encoding that the first lines name; UTF-8 if they name none."""
    if len(data) > MOST_BYTES:
        raise Unreadable(f"it has more than {MOST_BYTES // 2**20} MiB")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        name = codecs.lookup(encoding).name
        if name in _NO_FILE_ENCODINGS:
            raise Unreadable(f"its first lines name the encoding {name}: write it in UTF-8")
        text = importlib.util.decode_source(data)
    except (SyntaxError, ValueError, LookupError):  # a UnicodeError is a ValueError
        raise Unreadable("it is no UTF-8 text") from None
    if "\0" in text:
        raise Unreadable(f"it has a NUL character in line {text[: text.index(chr(0))].count(chr(10)) + 1}")
    return text


# What Python knows besides encodings of files; some take a time that grows with the square of the length.
_NO_FILE_ENCODINGS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}


def submitted(submission: Path, chapter: Chapter, name: str, names: Iterable[str] = ()) -> Written | None:
    """Return what a submission has for an exercise, ``None`` if nothing.

    Args:
        submission: a file, which answers the exercise of its name or, if it has another name, as many as it defines
            functions for; or a folder or a zip of the shape of ``answers/``, or a folder of such zips.
        chapter: the exercise's chapter.
        name: the exercise.
        names: all exercises' names.

    Raises:
        Unreadable: what it has is no text, or lies behind a link.
    """
    _refuse_link(submission, submission)
    if submission.suffix == ".zip" and submission.is_file():
        return _in_zip(submission, list(_places(chapter, name)))
    if submission.is_dir():
        found = next((path for place in _places(chapter, name) if os.path.lexists(path := submission / place)), None)
        if found is not None:
            _refuse_link(submission, found)
            return read(found)
        return _in_zips(submission, list(_places(chapter, name)))
    return read(submission) if submission.stem == name or submission.stem not in names else None


def _refuse_link(submission: Path, path: Path) -> None:
    """Raise ``Unreadable`` if a submission, or what leads from it to a path in it, is a link: to a neighbour's, say."""
    for step in (path, *path.parents):
        if step.is_symlink():
            raise Unreadable(f"{shown_name(step.name)} is a link, and links are not followed: hand in what it leads to")
        if step == submission:
            return


def _places(chapter: Chapter, name: str) -> Iterator[str]:
    """Yield where a folder may have an answer, the likeliest first; then the places of a chapter's old file."""
    part, short = chapter.address.split("/")
    for head in ("answers/", "", "exercises/"):
        yield f"{head}{part}/{short}/{name}.py"
    yield from (f"{short}/{name}.py", f"{name}.py")
    yield from (f"exercises/{part}/{short}/{OLD}", f"{part}/{short}/{OLD}", f"{short}/{OLD}", f"{short}.py", OLD)


def _in_zips(submission: Path, places: list[str]) -> Written | None:
    """Return an answer from a folder of zips, as a page exports one for each chapter; a broken one hides no other."""
    broken = None
    for path in sorted(submission.glob("*.zip")):
        _refuse_link(submission, path)
        try:
            if written := _in_zip(path, places):
                return written
        except Unreadable as error:
            broken = broken or Unreadable(f"{shown_name(path.name)}: {error}")
    if broken:
        raise broken
    return None


def _in_zip(path: Path, places: list[str]) -> Written | None:
    """Return an answer from a zip, also where all of it lies in one folder more."""
    if path.stat().st_size > 8 * MOST_BYTES:
        raise Unreadable(f"the zip has more than {8 * MOST_BYTES // 2**20} MiB")
    try:
        with zipfile.ZipFile(path) as packed:
            names = {name.replace("\\", "/"): name for name in packed.namelist()}  # some programs of Windows's
            tops = {name.partition("/")[0] for name in names if "/" in name and not name.startswith("__MACOSX")}
            heads = ["", *(f"{top}/" for top in tops)] if len(tops) == 1 else [""]
            found = next((f"{head}{place}" for place in places for head in heads if f"{head}{place}" in names), None)
            if found is None:
                return None
            if stat.S_ISLNK(packed.getinfo(names[found]).external_attr >> 16):
                raise Unreadable(f"{shown_name(found)} is a link, and links are not followed: hand in what it leads to")
            with packed.open(names[found]) as file:
                return Written(found.rpartition("/")[2], as_text(file.read(MOST_BYTES + 1)))
    except UNREADABLE_ZIP as error:
        raise Unreadable(f"the zip cannot be read: {error or type(error).__name__}") from None
