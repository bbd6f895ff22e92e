"""The reader's files, and other people's: made once, left alone, and read whatever they are."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
import small_exercises
from full_disk import FullAfter
from small_exercises import write

from grader.answer_files import MOST_BYTES, Unreadable, answers_of, as_text, is_untouched, prepare, read, submitted
from grader.assignment import assigned
from grader.catalogue import Chapter, chapter_of, find
from grader.hints import next_hint
from grader.source import stub_of

NAMES = ["bubble_share", "double"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_exercises.make(tmp_path_factory.mktemp("files"), "filed")


@pytest.fixture
def chapter(home: Path, tmp_path: Path) -> Chapter:
    """Return a chapter that stands in a folder of this test's own."""
    import dataclasses

    folder = tmp_path / "exercises" / "flow" / "pipes"
    folder.mkdir(parents=True)
    return dataclasses.replace(chapter_of(home / "flow" / "pipes"), folder=folder)


def test_files_are_made_once_from_the_stubs(chapter: Chapter) -> None:
    news = "answers/flow/pipes/: bubble_share.py, double.py made from their stubs. Write your answers there."
    assert is_untouched(chapter, "double")
    assert prepare(chapter, NAMES) == news
    path = answers_of(chapter) / "double.py"
    assert path.read_text(encoding="utf-8") == stub_of(chapter.exercises["double"])
    assert is_untouched(chapter, "double")
    path.write_bytes(b"mine\r\n")
    assert prepare(chapter, NAMES) == ""
    assert path.read_bytes() == b"mine\r\n"
    assert not is_untouched(chapter, "double")


def test_a_stub_that_a_full_disk_cuts_off_is_none(chapter: Chapter, full_after: FullAfter) -> None:
    with full_after(100):
        news = prepare(chapter, NAMES)
    said = "bubble_share.py could not be made: File too large; double.py could not be made: File too large"
    assert news == f"answers/flow/pipes/: {said}."
    assert list(answers_of(chapter).iterdir()) == []
    assert all(is_untouched(chapter, name) for name in NAMES)
    assert prepare(chapter, NAMES).startswith("answers/flow/pipes/: bubble_share.py, double.py made from their stubs")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_in_a_files_place_is_left_there(chapter: Chapter) -> None:
    folder = answers_of(chapter)
    folder.mkdir(parents=True)
    (folder / "bubble_share.py").symlink_to("nowhere")
    os.mkfifo(folder / "double.py")
    assert prepare(chapter, NAMES) == ""
    assert not is_untouched(chapter, "bubble_share")


def test_an_old_file_is_taken_in_once_and_kept(chapter: Chapter) -> None:
    text = f"import math\nHALF = 0.5\n\n\n{small_exercises.RIGHT_DOUBLE}"
    old = write(chapter.folder / "answers.py", text)
    news = prepare(chapter, NAMES)
    assert "bubble_share.py made from its stub; double.py copied from exercises/flow/pipes/answers.py" in news
    assert (answers_of(chapter) / "double.py").read_text(encoding="utf-8") == text
    assert "NotImplementedError" in (answers_of(chapter) / "bubble_share.py").read_text(encoding="utf-8")
    assert old.read_text(encoding="utf-8") == text
    assert prepare(chapter, NAMES) == ""


@pytest.mark.parametrize("broken", ["def double(:\n", "\0", "(" * 10_000])
def test_an_old_file_that_cannot_be_read_is_kept_and_said(chapter: Chapter, broken: str) -> None:
    old = write(chapter.folder / "answers.py", broken)
    assert "answers.py of old is kept, and not taken in: " in prepare(chapter, NAMES)
    assert is_untouched(chapter, "double")
    assert old.read_text(encoding="utf-8") == broken


def test_what_is_no_text_says_what_it_is(tmp_path: Path) -> None:
    made = {
        "it is no UTF-8 text": b"x = '\xff'\n",
        "it has a NUL character in line 2": b"x = 1\ny = '\0'\n",
        f"it has more than {MOST_BYTES // 2**20} MiB": b"#" * (MOST_BYTES + 1),
    }
    for said, data in made.items():
        (tmp_path / "a.py").write_bytes(data)
        with pytest.raises(Unreadable, match=f"^{said}"):
            read(tmp_path / "a.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "link.py").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.py")
    others = {"folder.py": "a folder", "link.py": "a link to a file that does not", "pipe.py": "a named pipe"}
    for name, said in {**others, "/dev/zero": "a device"}.items():
        with pytest.raises(Unreadable, match=f"^it is {said}"):
            read(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing.py")


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbfx = '\xc3\xa9'\r\n", b"# coding: latin-1\nx = '\xe9'\n"], ids=["mark", "cookie"]
)
def test_what_python_reads_is_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.py").write_bytes(data)
    assert "x = 'é'\n" in read(tmp_path / "a.py").text


@pytest.mark.parametrize(
    "place",
    [
        "answers/flow/pipes/double.py",
        "flow/pipes/double.py",
        "pipes/double.py",
        "double.py",
        "exercises/flow/pipes/answers.py",
        "pipes/answers.py",
        "pipes.py",
        "answers.py",
    ],
)
@pytest.mark.parametrize("shape", ["folder", "zip", "zip in a folder", "zip of a folder"])
def test_a_submission_is_found(chapter: Chapter, tmp_path: Path, place: str, shape: str) -> None:
    submission = tmp_path / "ada"
    if shape == "folder":
        write(submission / place, "here")
    else:
        submission.mkdir()
        submission = submission if shape == "zip in a folder" else submission / "ada.zip"
        with zipfile.ZipFile(submission / "ada.zip" if submission.is_dir() else submission, "w") as packed:
            packed.writestr(f"ada/{place}" if shape == "zip of a folder" else place, "here")
    found = submitted(submission, chapter, "double", NAMES)
    assert found
    assert (found.file, found.text) == (place.rpartition("/")[2], "here")


def test_a_file_answers_the_exercise_of_its_name_or_all(chapter: Chapter, tmp_path: Path) -> None:
    one, all_of_them = write(tmp_path / "double.py", "one"), write(tmp_path / "ada.py", "all")
    assert submitted(one, chapter, "bubble_share", NAMES) is None
    for name in NAMES:
        found = submitted(all_of_them, chapter, name, NAMES)
        assert found
        assert found.text == "all"


@pytest.mark.parametrize("encoding", ["punycode", "idna", "undefined", "unicode_escape", "UTF7"])
def test_an_encoding_that_is_none_of_files_is_refused(encoding: str) -> None:
    data = f"# coding: {encoding}\n".encode() + b"x = 1\n" * 100_000  # punycode would take minutes
    with pytest.raises(Unreadable, match=r"its first lines name the encoding .*: write it in UTF-8"):
        as_text(data)


def test_a_folder_may_have_a_zip_for_each_chapter(chapter: Chapter, tmp_path: Path) -> None:
    for name, place in (("a", "flow/another/double.py"), ("b", "flow/pipes/double.py"), ("c", "flow/pipes/double.py")):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as packed:
            packed.writestr(f"answers/{place}", name)
    found = submitted(tmp_path, chapter, "double", NAMES)
    assert found
    assert found.text == "b"
    assert submitted(tmp_path, chapter, "bubble_share", NAMES) is None


def test_a_zip_that_is_none_says_so(chapter: Chapter, tmp_path: Path) -> None:
    write(tmp_path / "ada.zip", "no zip")
    with pytest.raises(Unreadable, match="the zip cannot be read"):
        submitted(tmp_path / "ada.zip", chapter, "double", NAMES)


def test_a_broken_zip_of_a_folder_hides_no_other(chapter: Chapter, tmp_path: Path) -> None:
    write(tmp_path / "a.zip", "no zip")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as packed:
        packed.writestr("answers/flow/pipes/double.py", "b")
    found = submitted(tmp_path, chapter, "double", NAMES)
    assert found
    assert found.text == "b"
    with pytest.raises(Unreadable, match=r"^a\.zip: the zip cannot be read"):  # it may be in there
        submitted(tmp_path, chapter, "bubble_share", NAMES)


def test_an_assignment_names_exercises_and_weights(home: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "week.txt", "# week 1\ndouble 3\n\ntanks/twice  # with its own\n")
    assignment = assigned(path, home)
    assert [(e.name, e.weight) for _, e in assignment.asked] == [("double", 3.0), ("twice", 2.0)]
    assert assignment.deadline is None
    with pytest.raises(ValueError, match="names no exercise"):
        assigned(write(path, "# nothing\n"), home)
    refused = {
        "doubl": "did you mean: pipes/double",
        "double x": "a number of at least 0, got 'x'",
        "double 2 3": "an exercise and at most its weight, got 'double 2 3'",
        "deadline": "a time with its offset, as in 2026-12-01T18:00.01:00, got ''",
        "deadline 2026-12-01T18:00": "a time with its offset",
        "deadline tomorrow": "got 'tomorrow'",
    }
    for line, said in refused.items():
        write(path, f"twice\n{line}\n")
        with pytest.raises(ValueError, match=f"week.txt:2: .*{said}"):
            assigned(path, home)


def test_an_assignment_has_one_deadline(home: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "week.txt", "deadline 2026-12-01T18:00+01:00\ndouble\n")
    assert assigned(path, home).deadline == datetime(2026, 12, 1, 17, tzinfo=UTC)
    write(path, path.read_text() + "deadline 2026-12-02T18:00+01:00\n")
    with pytest.raises(ValueError, match=r"week.txt:3: a deadline must stand there once, got '2026-12-02T18:00"):
        assigned(path, home)


def test_hints_come_one_after_another_and_stay(home: Path) -> None:
    chapter, exercise = find("double", home)
    shown = [next_hint(chapter, exercise).splitlines()[1] for _ in range(3)]
    assert shown == ["hint:     Go through the list.", "hint:     Multiply * by 2.", "hint:     Multiply * by 2."]
    state = answers_of(chapter) / ".hints.json"
    for broken in ("[", "[1]", '{"double": "x"}', '{"double": -7}'):
        state.write_text(broken, encoding="utf-8")
        assert "Go through the list." in next_hint(chapter, exercise)
