"""The arrays and objects that the judge and an answer's process both hold, each of them its own copy.

A rank program updates the arrays of its rank in place, hands them to the judge's simulator and gets others from it;
the simulator counts an array's bytes until nothing refers to it any more. So an array has a token, by which either
side names it; with every message each side says which arrays have other contents now, and the answer's side which of
its copies are gone: then the judge's side lets go of its own. A dataclass of ``snippets`` that is not frozen is one
object on both sides as well, for as long as the judge has it; what is shared of its fields are arrays.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import weakref
from collections.abc import Callable
from typing import Any

from grader.plain import PACKAGE, NotPlain, address_of, decode, encode, encode_array


def _nothing() -> None:
    """Stand for what a garbage collection has taken meanwhile."""


_REFERENCES = ("new", "known", "view")


class Shared:
    """One side's arrays and objects, by their tokens, which are even where the judge has given them.

    In a message stand for them:

    - ``{"new": [token, data]}``: an array that the other side does not have yet;
    - ``{"known": token}``: an array or an object that it has;
    - ``{"view": [token, offset, shape, strides]}``: a part of an array that it has;
    - ``{"shared": [token, class, fields]}``: an object that it does not have yet, from the judge alone.

    Of what both sides have, one holds its copy weakly, reports with its next message that it is gone, and the other
    lets go: of an array the answer's side, whose program uses it, of an object the judge's.
    """

    def __init__(self, *, judge: bool) -> None:
        self._judge = judge
        self._next = itertools.count(0 if judge else 1, 2)
        self._token_of: dict[int, int] = {}  # by the id of an array or an object
        self._alive: dict[int, Callable[[], Any]] = {}  # by token, what returns the array or the object
        self._contents: dict[int, Any] = {}  # of an array, as both sides have them
        self._fields: dict[int, dict[str, Any]] = {}  # of an object, those that held arrays, as both sides have them
        self._gone: list[int] = []  # tokens of what this side has lost and has not reported
        self._held: list[Any] = []  # by the answer's side, while the judge has the word
        self.tags = {"new": self._new, "known": self._known, "view": self._view, "shared": self._shared}

    # What is sent.

    def special(self, value: Any, part: Callable[[Any], Any]) -> Any:
        """Encode arrays and mutable objects, by their tokens where both sides have them."""
        if id(value) in self._token_of:
            return {"known": self._token_of[id(value)]}
        if _is_array(value):
            return self._of_view(value) or self._of_array(value)
        return self._of_object(value, part) if self._judge and _is_mutable(value) else None

    def _of_array(self, array: Any) -> Any:
        token, data = next(self._next), encode_array(array)
        self._keep(token, array, strongly=self._judge)
        self._contents[token] = data
        return {"new": [token, data]}

    def _of_view(self, array: Any) -> Any:
        """Encode a part of an array that both sides have: what is written to it is written there."""
        base = array.base
        if id(base) not in self._token_of or base.dtype != array.dtype or not base.flags.c_contiguous:
            return None
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return {"view": [self._token_of[id(base)], offset, list(array.shape), list(array.strides)]}

    def _of_object(self, value: Any, part: Callable[[Any], Any]) -> Any:
        token = next(self._next)
        fields = {field.name: part(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init}
        self._keep(token, value, strongly=False)
        self._fields[token] = {name: data for name, data in fields.items() if _is_reference(data)}
        return {"shared": [token, address_of(type(value)), list(fields.items())]}

    def changes(self) -> dict[str, Any]:
        """Return what has changed since the last message of either side.

        The answer's side holds what it does not report as gone until the next call: garbage that is collected while
        the judge has the word may be what the judge names.
        """
        self._held.clear()
        fields = {}
        for token, known in list(self._fields.items()):
            if (owner := self._alive.get(token, _nothing)()) is not None:
                now = {name: encode(getattr(owner, name, None), self.special) for name in known}
                fields[token] = {name: data for name, data in now.items() if data != _named(known[name])}
                known |= fields[token]
        arrays = []
        for token, contents in list(self._contents.items()):
            array = self._alive.get(token, _nothing)()
            if array is not None and (data := encode_array(array)) != contents:
                arrays.append([token, data])
                self._contents[token] = data
        if not self._judge:
            self._held = [alive() for alive in list(self._alive.values())]
        gone, self._gone = self._gone, []
        changed = [[token, list(named.items())] for token, named in fields.items() if named]
        return {"fields": changed, "arrays": arrays, "gone": gone}

    # What arrives.

    def apply(self, changes: Any) -> None:
        """Do here what was done on the other side."""
        for token, fields in changes["fields"]:
            for name, data in fields:
                if name not in self._fields[token]:
                    raise NotPlain(f"{name!r} is no array that is shared")
                setattr(self._alive[token](), name, decode(data, self.tags))
                self._fields[token][name] = data
        for token, data in changes["arrays"]:
            self._alive[token]()[...] = self._fitting(token, data)
            self._contents[token] = data
        for token in changes["gone"]:
            self._forget(token)

    def _fitting(self, token: int, data: Any) -> Any:
        array, new = self._alive[token](), decode(data)
        if array.shape != new.shape or array.dtype != new.dtype:
            raise NotPlain("an array has another shape now")
        return new

    def _new(self, inner: Any, part: Callable[[Any], Any]) -> Any:
        token, data = inner
        array = decode(data)
        if token in self._alive or token % 2 != self._judge or not _is_array(array):
            raise NotPlain("it is no new array")
        self._keep(token, array, strongly=self._judge)
        self._contents[token] = data
        return array

    def _known(self, token: Any, part: Callable[[Any], Any]) -> Any:
        return self._alive[token]()

    def _view(self, inner: Any, part: Callable[[Any], Any]) -> Any:
        token, offset, shape, strides = inner
        base = self._alive[token]()
        if not _is_array(base) or math.prod(max(1, side) for side in shape) > max(1, base.size):
            raise NotPlain("it is no part of an array that is shared")
        return type(base)(tuple(shape), base.dtype, base, offset, tuple(strides))

    def _shared(self, inner: Any, part: Callable[[Any], Any]) -> Any:
        if self._judge:
            raise NotPlain("objects are shared by the judge alone")
        token, address, fields = inner
        value = decode({"object": [address, fields]}, self.tags)
        self._keep(token, value, strongly=True)
        self._fields[token] = {name: data for name, data in fields if _is_reference(data)}
        return value

    # What is alive.

    def _keep(self, token: int, value: Any, *, strongly: bool) -> None:
        """Give a value its token; what is not held strongly is reported when it is gone."""
        self._token_of[id(value)] = token
        if strongly:
            self._alive[token] = lambda: value
        else:
            self._alive[token] = weakref.ref(value)
            weakref.finalize(value, self._lost, token, id(value)).atexit = False

    def _lost(self, token: int, identity: int) -> None:
        self._token_of.pop(identity, None)
        self._pop(token)
        self._gone.append(token)

    def _forget(self, token: int) -> None:
        """Let go of what the other side has lost."""
        self._token_of.pop(id(self._alive[token]()), None)
        self._pop(token)

    def _pop(self, token: int) -> None:
        for kept in (self._alive, self._contents, self._fields):
            kept.pop(token, None)


def _is_array(value: Any) -> bool:
    kind = type(value)
    return (kind.__module__, kind.__name__) == ("numpy", "ndarray") and value.dtype.kind in "biufc"


def _is_mutable(value: Any) -> bool:
    kind = type(value)
    return (
        kind.__module__.startswith(PACKAGE) and dataclasses.is_dataclass(kind) and not kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    )


def _is_reference(data: Any) -> bool:
    return isinstance(data, dict) and any(tag in data for tag in _REFERENCES)


def _named(data: Any) -> Any:
    """Return how an array that was new is named from then on."""
    return {"known": data["new"][0]} if isinstance(data, dict) and "new" in data else data
