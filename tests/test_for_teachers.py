"""The times of the course, against the chapters' own."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "for-teachers.md").read_text(encoding="utf-8")


def minutes(path: str) -> tuple[int, int]:
    header = yaml.safe_load((ROOT / "chapters" / path).read_text(encoding="utf-8").split("---")[1])
    return header["minutes"], header["exercise_minutes"]


def test_the_times_of_the_course_are_those_of_its_chapters() -> None:
    weeks = [re.findall(r"\(\.\./chapters/(\S+\.md)\)", row) for row in re.findall(r"^\| \d+ \|.*", PAGE, re.MULTILINE)]
    assert len(weeks) == 14
    together = [[sum(each) for each in zip(*map(minutes, week), strict=True)] for week in weeks]
    (least, least_home), (most, most_home) = (
        [bound(times) for times in zip(*together, strict=True)] for bound in (min, max)
    )
    said = " ".join(PAGE.split())
    assert f"text takes {least} to {most} minutes to read, and its exercises {least_home} to {most_home}." in said
    taken = {ROOT / "chapters" / path for week in weeks for path in week}
    rest = sorted({*(ROOT / "chapters").glob("background/a*.md")} - taken)
    assert [path.stem[:2] for path in rest] == ["a2", "a3", "a4"]
    more = sum(minutes(path.relative_to(ROOT / "chapters").as_posix())[0] for path in rest)
    assert f"{more} minutes more to read" in said


def test_the_course_names_what_its_chapters_need() -> None:
    """What a chapter of the course builds on is in an earlier week, or the page says before which to read it."""
    said = dict(re.findall(r"\(\.\./chapters/(background/a[234]\S+)\.md\)\s+before week (\d+)", PAGE))
    first: dict[str, str] = {}
    met: set[str] = set()
    for row in re.findall(r"^\| \d+ \|.*", PAGE, re.MULTILINE):
        week = re.findall(r"\(\.\./chapters/(\S+)\.md\)", row)
        met |= {*week}
        for path in week:
            header = yaml.safe_load((ROOT / "chapters" / f"{path}.md").read_text(encoding="utf-8").split("---")[1])
            for needed in header["prerequisites"]:
                place = re.sub(r"^\.\./|\.md$", "", needed)
                place = place if "/" in place else f"{path.partition('/')[0]}/{place}"
                if place not in met:
                    first.setdefault(place, row.split()[1])
    assert first == said


def test_what_eleven_weeks_leave_out_is_needed_by_two_chapters_only() -> None:
    weeks = [re.findall(r"\(\.\./chapters/(\S+)\.md\)", row) for row in re.findall(r"^\| \d+ \|.*", PAGE, re.MULTILINE)]
    assert "leave out weeks 3, 8 and 11: of what remains, only chapters 28 and 40" in " ".join(PAGE.split())
    left_out = {path for number in (3, 8, 11) for path in weeks[number - 1]}
    found: dict[str, list[str]] = {}
    for path in {path for week in weeks for path in week} - left_out:
        header = yaml.safe_load((ROOT / "chapters" / f"{path}.md").read_text(encoding="utf-8").split("---")[1])
        for needed in header["prerequisites"]:
            place = re.sub(r"^\.\./|\.md$", "", needed)
            place = place if "/" in place else f"{path.partition('/')[0]}/{place}"
            if place in left_out:
                found.setdefault(path, []).append(place)
    assert found == {
        "composition/28-failures": ["foundations/06-economics"],
        "synthesis/40-conclusion": ["foundations/06-economics"],
    }
