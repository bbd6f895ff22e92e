"""Arrays and objects of two processes, here in one: both sides see what either does, and when an array is gone."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import numpy as np
import pytest

from grader.plain import decode, encode
from grader.sharing import Shared
from snippets.memory.zero.sharded_rank import Rank
from snippets.simulation.machine import AllGather


class Sides:
    """The judge's side and the answer's, and what passes between them."""

    def __init__(self) -> None:
        self.judge, self.answer = Shared(judge=True), Shared(judge=False)

    def to_answer(self, value: Any) -> Any:
        return self._passed(self.judge, self.answer, value)

    def to_judge(self, value: Any) -> Any:
        return self._passed(self.answer, self.judge, value)

    def _passed(self, here: Shared, there: Shared, value: Any) -> Any:
        data = encode(value, here.special)
        there.apply(json.loads(json.dumps(here.changes())))
        return decode(json.loads(json.dumps(data)), there.tags)


@pytest.fixture
def sides() -> Sides:
    return Sides()


def rank() -> Rank:
    return Rank(0, 2, slice(0, 1), np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.zeros(1), np.zeros(1))


def test_what_is_written_on_one_side_is_seen_on_the_other(sides: Sides) -> None:
    ours = np.array([1.0, 2.0])
    theirs = sides.to_answer(ours)
    theirs += 1
    assert sides.to_judge(theirs) is ours
    assert ours.tolist() == [2, 3]
    ours[0] = 9
    assert sides.to_answer(None) is None
    assert theirs.tolist() == [9, 3]


def test_an_array_is_held_here_while_it_is_held_there(sides: Sides) -> None:
    ours = np.array([1.0])
    alive = weakref.ref(ours)
    theirs = sides.to_answer(ours)
    part = theirs[:1]
    del ours, theirs
    sides.to_judge(None)
    assert alive() is not None  # a part of it is held
    del part
    sides.to_judge(None)
    assert alive() is None


def test_garbage_that_is_collected_out_of_turn_can_still_be_named(sides: Sides) -> None:
    ours = np.array([1.0])
    alive = weakref.ref(ours)
    cycle = [sides.to_answer(ours)]
    cycle.append(cycle)
    del cycle
    sides.to_judge(None)
    gc.collect()
    ours += 1
    assert sides.to_answer(ours).tolist() == [2]
    del ours
    sides.to_judge(None)
    assert alive() is None


def test_an_object_is_one_on_both_sides(sides: Sides) -> None:
    ours = rank()
    theirs = sides.to_answer(ours)
    assert sides.to_answer(ours) is theirs
    assert (theirs.number, theirs.ranks, theirs.shard) == (0, 2, slice(0, 1))
    theirs.first += 5
    theirs.parameters = theirs.parameters * 2
    sides.to_judge(None)
    assert (ours.first.tolist(), ours.parameters.tolist()) == ([5], [2, 4])
    ours.gradients = np.array([7.0, 8.0])
    sides.to_answer(None)
    assert theirs.gradients.tolist() == [7, 8]


def test_a_field_that_is_dropped_frees_its_array(sides: Sides) -> None:
    ours = rank()
    alive = weakref.ref(ours.gradients)
    theirs = sides.to_answer(ours)
    theirs.gradients = None
    sides.to_judge(None)
    assert ours.gradients is None
    assert alive() is None


def test_an_object_that_the_judge_drops_is_dropped_with_its_arrays(sides: Sides) -> None:
    ours = rank()
    theirs = weakref.ref(sides.to_answer(ours))
    arrays = [weakref.ref(ours.first), weakref.ref(ours.parameters)]
    del ours
    sides.to_answer(None)
    assert theirs() is None
    sides.to_judge(None)
    assert [array() for array in arrays] == [None, None]


def test_a_request_names_arrays_that_both_sides_have_and_parts_of_them(sides: Sides) -> None:
    ours = rank()
    theirs = sides.to_answer(ours)
    request = sides.to_judge(AllGather(theirs.parameters[1:], into=theirs.parameters))
    assert request.into is ours.parameters
    assert request.numbers.base is ours.parameters
    request.numbers[:] = 5
    request.into[0] = 6
    sides.to_answer(None)
    assert theirs.parameters.tolist() == [6, 5]


def test_an_array_of_the_answers_own_can_be_written_to(sides: Sides) -> None:
    own = np.zeros(2)
    request = sides.to_judge(AllGather(np.ones(1), into=own))
    request.into[:] = 3
    assert sides.to_answer(request.into) is own
    assert own.tolist() == [3, 3]


def test_what_is_not_shared_is_not_changed_by_an_answer(sides: Sides) -> None:
    ours = rank()
    theirs = sides.to_answer(ours)
    theirs.number, theirs.shard = 7, None
    theirs.more = 1
    sides.to_judge(None)
    assert (ours.number, ours.shard, hasattr(ours, "more")) == (0, slice(0, 1), False)


def test_rounds_leave_nothing_behind(sides: Sides) -> None:
    for _ in range(5):
        ours = rank()
        theirs = sides.to_answer(ours)
        sides.to_judge(AllGather(theirs.first))
    del ours, theirs
    sides.to_answer(None)
    sides.to_judge(None)
    gc.collect()
    for side in (sides.judge, sides.answer):
        assert not side._alive
        assert not side._token_of


@pytest.mark.parametrize(
    "changes",
    [
        {"fields": [[0, [["number", 7]]]], "arrays": [], "gone": []},
        {"fields": [[99, []], [99, [["first", 1]]]], "arrays": [], "gone": []},
        {"fields": [], "arrays": [[2, encode(np.zeros(5))]], "gone": []},
        {"fields": [], "arrays": [[2, 1]], "gone": []},
        {"fields": [], "arrays": [], "gone": [99]},
        {"fields": [], "arrays": []},
        [],
    ],
    ids=str,
)
def test_what_no_answer_sends_raises(sides: Sides, changes: Any) -> None:
    ours = rank()
    sides.to_answer(ours)
    with pytest.raises(Exception):  # noqa: B017, PT011 – any exception ends the answer
        sides.judge.apply(changes)
    assert ours.number == 0


@pytest.mark.parametrize(
    "data",
    [
        {"known": 99},
        {"view": [0, 0, [1], [8]]},
        {"view": [2, 0, [10**9], [0]]},
        {"view": [2, 0, [10**9, 0], [0, 0]]},
        {"view": [2, 8, [2], [8]]},
        {"view": [2, -8, [1], [8]]},
        {"new": [4, encode(np.zeros(1))]},
        {"new": [2, encode(np.zeros(1))]},
        {"new": [1, 5]},
        {"shared": [1, "snippets.memory.zero.sharded_rank:Rank", []]},
    ],
    ids=str,
)
def test_what_names_nothing_that_is_shared_raises(sides: Sides, data: Any) -> None:
    ours = rank()
    sides.to_answer(ours)
    with pytest.raises(Exception):  # noqa: B017, PT011
        decode(data, sides.judge.tags)
