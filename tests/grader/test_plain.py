"""Plain data: what comes back as it was, what of a lie, and what is refused from whoever sends it."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.plain import DEPTH, MOST_BITS, NotPlain, Unknown, decode, encode
from snippets.simulation.machine import Exchange

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(alphabet=st.characters(exclude_categories=())),
    st.fractions(),
    st.binary(),
    st.complex_numbers(),
)
HASHABLE = st.one_of(st.none(), st.integers(), st.text(), st.tuples(st.integers(), st.text()))
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(HASHABLE, inner)),
    max_leaves=20,
)


def sent(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value))))


def exactly(value: Any) -> str:
    """Return a text that differs wherever values or their types do."""
    return repr(value)


@given(DATA)
def test_data_comes_back_as_it_was(value: Any) -> None:
    assert exactly(sent(value)) == exactly(value)


@pytest.mark.parametrize(
    "value",
    [range(3, 9, 2), slice(1, None), 2**5000, Exchange(to=1, numbers=[0.5], source=2), {1, -3, 5}, math.inf],
    ids=repr,
)
def test_so_do_these(value: Any) -> None:
    assert sent(value) == value


@pytest.mark.parametrize("kind", ["int8", "uint64", "float16", "float32", "float64", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3)])
def test_arrays_keep_type_and_shape(kind: str, shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape)).reshape(shape).astype(kind)
    back = sent(array)
    assert (back.dtype, back.shape, back.tolist()) == (array.dtype, array.shape, array.tolist())
    back[...] = 1  # it can be written to


def test_arrays_of_other_things_keep_their_entries() -> None:
    assert sent(np.array([Fraction(1, 2), "a"], object)).tolist() == [Fraction(1, 2), "a"]
    assert sent(np.array([["a"], ["b"]])).tolist() == [["a"], ["b"]]


@pytest.mark.parametrize("value", [np.int8(3), np.float32(0.5), np.bool_(True), np.longdouble(0.25), np.complex64(1j)])
def test_numbers_of_numpy_become_pythons(value: Any) -> None:
    assert type(sent(value)) in (int, float, bool, complex)
    assert sent(value) == value


class Equal:
    """Is equal to everything, and says that it is of another class."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __iter__(self) -> Any:
        return iter([1, 2, 3])

    def __len__(self) -> int:
        return 0

    def __float__(self) -> float:
        return 7.0

    def __int__(self) -> int:
        return 7


class Pair(NamedTuple):
    a: int
    b: int


class EqualInt(Equal, int):
    pass


class EqualFloat(Equal, float):
    pass


class EqualText(Equal, str):
    def __str__(self) -> str:
        return "other"


class EqualList(Equal, list[int]):  # type: ignore[misc]
    pass


class EqualDict(Equal, dict[str, int]):  # type: ignore[misc]
    def items(self) -> Any:
        return [("a", 1)]


@pytest.mark.parametrize(
    ("liar", "plain"),
    [
        (EqualInt(2), 2),
        (EqualFloat(2.5), 2.5),
        (EqualText("a"), "a"),
        (EqualList([4]), [4]),
        (EqualDict(b=2), {"b": 2}),
        (OrderedDict(a=1), {"a": 1}),
        (Pair(1, 2), (1, 2)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_class_that_lies_becomes_what_it_is_made_of(liar: Any, plain: Any) -> None:
    assert type(sent(liar)) is type(plain)
    assert sent(liar) == plain


def test_what_is_no_data_says_what_it_was() -> None:
    assert sent([print])[0].kind == "builtin_function_or_method"
    assert sent(Equal()).kind == "Equal"
    assert sent(2 ** (MOST_BITS + 1)) == Unknown("whole number too large to look at", "a whole number of 100002 bits")
    assert sent(range(10**9)).kind == "range"

    class Hidden:
        def __repr__(self) -> str:
            raise ValueError

    assert repr(sent(Hidden())) == "a Hidden that cannot be shown (ValueError)"


def test_what_is_too_large_or_too_deep_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (endless, [0] * 10**6 + [0], np.zeros(10**6 + 1)):
        with pytest.raises(NotPlain):
            encode(value)


class Forged:
    """Data that nobody who encodes sends, each of which would do harm."""

    deep: Any = 1
    for _ in range(DEPTH + 2):
        deep = [deep]
    cases: tuple[Any, ...] = (
        deep,
        {"tuple": [1], "list": [2]},
        {},
        {"no such tag": 1},
        {"range": [0, 10**9, 1]},
        {"array": ["<f8", [10**9, 0], ""]},
        {"array": ["O", [1], "AAAAAAAAAAA="]},
        {"entries": [[10**9, 0], []]},
        {"set": list(range(10_001))},
        {"dict": [[n, 0] for n in range(10_001)]},
        {"object": ["os:system", [["command", "true"]]]},
        {"object": ["snippets.no_such_module:Send", []]},
        {"object": ["snippets.collectives.ring_and_tree.programs:run_programs", []]},
        {"object": ["snippets.simulation.machine:Exchange", [["no_field", 1]]]},
        {"fraction": [1, 0]},
        {"float": "1e5"},
        {"bytes": "no"},
        {"dict": [[[1], 2]]},
        {"int": [1]},
        {"slice": []},
    )


@pytest.mark.parametrize("data", Forged.cases, ids=lambda data: str(data)[:40])
def test_what_is_forged_raises(data: Any) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 – the judge takes any exception for a fault of the sender
        decode(data)
