"""What goes round with the date comes to everything, and what has changed is there besides."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import sampling
from browser_fixtures import need
from sampling import in_turn, sampled


@pytest.fixture
def by_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "ALL", False)
    monkeypatch.setenv("BOOK_DATE", "2026-02-27")


@pytest.mark.usefixtures("by_day")
def test_every_case_has_its_day(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for day in ("2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"):
        monkeypatch.setenv("BOOK_DATE", day)
        seen += sampled("abcdefghijk", 3)
    assert len(seen) == 12
    assert set(seen) == set("abcdefghijk")


@pytest.mark.usefixtures("by_day")
def test_what_has_changed_is_taken_besides() -> None:
    chosen = sampled("abcdefghijk", 2)
    assert len(chosen) == 2
    other = next(case for case in "abcdefghijk" if case not in chosen)
    assert sorted(sampled("abcdefghijk", 2, changed=lambda case: case == other)) == sorted([*chosen, other])


@pytest.mark.usefixtures("by_day")
def test_of_many_that_have_changed_some_are_taken_each_day(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(case: str) -> bool:
        return True

    assert len(sampled("abcdefghijk", 2, changed=everything)) == 4
    assert len(sampled("abcdefghijk", 2, changed=everything, most=11)) == 11
    first = sampled("abcdefghijk", 2, changed=everything)
    monkeypatch.setenv("BOOK_DATE", "2026-03-01")
    assert not set(first) & set(sampled("abcdefghijk", 2, changed=everything))


@pytest.mark.usefixtures("by_day")
def test_few_cases_are_all_taken_and_none_are_none() -> None:
    assert sampled("ab", 3) == ["a", "b"]
    assert sampled([], 3) == []


def test_at_night_all_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "ALL", True)
    assert sampled("abcdefghijk", 1) == list("abcdefghijk")


def test_what_would_take_hours_goes_round_at_night_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "ALL", True)
    seen = []
    for day in ("2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"):
        monkeypatch.setenv("BOOK_DATE", day)
        assert 1 <= len(in_turn("abcdefghijk", 3)) <= 3
        seen += in_turn("abcdefghijk", 3)
    assert sorted(seen) == list("abcdefghijk")
    assert in_turn("abc", 3) == "abc"
    assert not in_turn([], 3)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an old commit and one of the day, and work that is not committed."""
    git = sampling.shutil.which("git")
    need(git, "needs git: install it and run pytest again")
    assert git
    monkeypatch.setattr(sampling, "ROOT", tmp_path)
    monkeypatch.setenv("BOOK_DATE", "2026-02-27")
    sampling.changed_files.cache_clear()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    subprocess.run([git, "init", "-q"], cwd=tmp_path, check=True)
    for name, date in (("old", "2026-02-20T12:00:00"), ("new", "2026-02-26T12:00:00")):
        (tmp_path / name).write_text(name)
        monkeypatch.setenv("GIT_COMMITTER_DATE", date)
        subprocess.run([git, "add", name], cwd=tmp_path, check=True)
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run([git, *who, "commit", "-qm", name], cwd=tmp_path, check=True)
    (tmp_path / "not yet").write_text("")
    return tmp_path


@pytest.mark.book
def test_changed_is_what_a_day_and_the_work_since_have_changed(repository: Path) -> None:
    assert sampling.changed_files() == {"new", "not yet"}
    (repository / "old").write_text("older")
    sampling.changed_files.cache_clear()
    assert sampling.changed_files() == {"new", "not yet", "old"}
    sampling.changed_files.cache_clear()


@pytest.mark.book
def test_without_git_nothing_has_changed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    sampling.changed_files.cache_clear()
    assert sampling.changed_files() == frozenset()
    sampling.changed_files.cache_clear()
