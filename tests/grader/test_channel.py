"""Whatever bytes come from an answer's process: a verdict that can be written, in the answer's own time."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest
import small_exercises
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sampling import examples

from grader import plain
from grader.catalogue import chapter_of
from grader.channel import message_of
from grader.confining import Limits
from grader.judging import Verdict
from grader.messages import Result, message
from grader.proxy import Allowance, AnswerProxy
from grader.report import write
from grader.sandbox import judged
from grader.sharing import Shared

LIMITS = Limits(time_s=2.0)
UNSHOWN = {"Cc", "Cf", "Cs"}
REST = {"shared": {"fields": [], "arrays": [], "gone": []}, "printed": "", "arguments": [[], {"dict": []}]}

texts = st.text(max_size=12) | st.sampled_from(
    ["\ud800", "\x1b[31m", "1e999999999", "inf", "", "snippets.domain:x", "<f8"]
)
numbers = st.integers() | st.floats() | st.sampled_from([10**9, -1, 2**70]) | st.booleans() | st.none()
tags = st.sampled_from([*plain._TAGS, *Shared(judge=True).tags, "callback", "nothing"])
values = st.recursive(
    numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(tags | texts, inner, max_size=2),
    max_leaves=12,
)
fields = st.sampled_from([*REST, "value", "raised", "stopped", "generator", "callback", "loaded"])
replies = st.dictionaries(fields, values, max_size=6).map(lambda found: {**REST, **found}) | values
payloads = replies.map(lambda found: json.dumps(found).encode()) | st.binary(max_size=60)
streams = payloads.map(lambda data: struct.pack(">I", len(data)) + data) | st.binary(max_size=60)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    home = small_exercises.make(tmp_path_factory.mktemp("channel"), "channelled")
    chapter = chapter_of(home / "flow" / "pipes")
    return Result(chapter, chapter.exercises["bubble_share"], Verdict("open"))


def verdict_of(result: Result, stream: bytes, folder: Path) -> Verdict:
    """Judge what sends these bytes and hangs up, and write its report in both layouts."""
    ours, theirs = socket.socketpair()
    theirs.sendall(stream)
    theirs.shutdown(socket.SHUT_WR)
    with ours, theirs:
        verdict = judged(result.exercise, AnswerProxy(ours, Allowance(LIMITS), os.getpid(), lambda: "ended"), LIMITS)
    judged_now = Result(result.chapter, result.exercise, verdict)
    told = message(judged_now, everything=True)
    assert {category(letter) for letter in told.replace("\n", "").replace("\t", "")}.isdisjoint(UNSHOWN), told
    for layout in ("book", "gradescope"):
        write(folder / "report.json", [judged_now], layout)
        json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return verdict


@settings(max_examples=examples(2000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stream=streams)
def test_any_bytes_make_a_verdict(result: Result, stream: bytes, tmp_path: Path) -> None:
    began = time.monotonic()
    verdict = verdict_of(result, stream, tmp_path)
    assert verdict.status in ("wrong", "open")  # an answer that still raises NotImplementedError says that of itself
    assert time.monotonic() - began < LIMITS.time_s + 5


def reply(**more: Any) -> bytes:
    data = json.dumps({**REST, **more}).encode()
    return struct.pack(">I", len(data)) + data


SLOW = {
    "a fraction": {"fraction": ["1e999999999", None]},
    "a fraction of texts": {"fraction": ["9" * 4000, "1e99999999"]},
    "a fraction in a list": [[1, {"fraction": ["1e999999999", 1]}]],
    "a complex number": {"complex": ["1e999999999", "9" * 9999]},
    "a number": {"int": "0x" + "f" * 100_000},
    "a range": {"range": [0, 10**12, 1]},
    "an array": {"array": ["<f8", [10**9, 10**9], ""]},
    "keys that collide": {"set": [number * (2**61 - 1) for number in range(5000)]},
}


@pytest.mark.parametrize("name", SLOW)
def test_no_reply_keeps_the_judge_beyond_the_limit(name: str, result: Result, tmp_path: Path) -> None:
    began = time.monotonic()
    assert verdict_of(result, reply(value=SLOW[name]), tmp_path).status == "wrong"
    assert time.monotonic() - began < LIMITS.time_s + 5


ODD_TEXTS: dict[str, dict[str, Any]] = {
    "a class of a surrogate": {"value": {"unknown": ["\ud800", "y"]}},
    "a class that colours": {"value": {"unknown": ["\x1b[31mRED\x1b]0;title\x07", "y\ud800"]}},
    "a class without a name": {"value": {"unknown": ["", ""]}},
    "what is printed": {"printed": "\x1b[2J\ud800", "value": 1},
    "what is raised": {"raised": ["\ud800\x1b[2J", "\x9b\u202e", "\ud800"]},
    "why it stopped": {"stopped": ["\ud800", "\x1b"]},
    "a changed argument": {"value": 1, "arguments": [["\x1b"], {"dict": [["\ud800", 1]]}]},
}


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_no_text_gets_through_that_cannot_be_written(name: str, result: Result, tmp_path: Path) -> None:
    assert verdict_of(result, reply(**ODD_TEXTS[name]), tmp_path).status == "wrong"


def test_a_report_is_written_whatever_it_holds(result: Result, tmp_path: Path) -> None:
    """Even where something was not cleaned."""
    verdict = Verdict("wrong", got="\ud800\x1b", mistake="\udfff")
    write(tmp_path / "report.json", [Result(result.chapter, result.exercise, verdict)], "book")
    (row,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["exercises"]
    assert (row["got"], row["mistake"]) == ("\ud800\x1b", "\udfff")


def test_texts_without_controls_arrive_as_they_are() -> None:
    told = {"value": ["é", "a\nb\tc", "\\ud800", "π ≤ 4"]}
    assert message_of(json.dumps(told).encode()) == told
    assert message_of(json.dumps(told, ensure_ascii=False).encode()) == told
