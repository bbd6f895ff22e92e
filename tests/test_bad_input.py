"""Every public function, class and method of the snippets refuses what it cannot answer, and names the argument.

What is public is found here by itself. A valid call is taken from the example in the docstring; then one argument at a
time is replaced by each bad value. Either the call raises ``ValueError`` or ``TypeError`` with a message that names the
argument, or it returns something that holds no NaN and no infinity (unless the docstring's ``Returns`` speaks of
infinity). It never warns, hangs, or asks for gigabytes. A number that is 0 or negative is refused unless the docstring
says of the argument that it may be.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import doctest
import functools
import importlib
import inspect
import math
import pkgutil
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from sampling import sampled

import snippets

resource = pytest.importorskip("resource", reason="the limits need Unix")

LIMIT_S = 20  # of processor time: what works hard ends long before, what a bad value sends astray does not
LIMIT_BYTES = 3 * 2**30

SCALARS: dict[str, Any] = {
    "-1": -1,
    "0": 0,
    "1.5": 1.5,
    "-0.5": -0.5,
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "1.7e308": 1.7e308,
    "5e-324": 5e-324,
    "10**12": 10**12,
    "10**400": 10**400,
    "True": True,
    "1j": 1j,
    "None": None,
    "text": "x",
    "object": object(),
}
CONTAINERS: dict[str, Any] = {
    "empty text": "",
    "bytes": b"\x01",
    "[]": [],
    "()": (),
    "{}": {},
    "[1.5]": [1.5],
    "ragged": [[1], [2, 3]],
    "cube": np.ones((2, 3, 5)),
    "NaNs": np.array([math.nan, math.nan]),
    "texts": np.array(["x", "y"]),
}
INTEGERS = {"int"}
REALS = {"float", "Fraction", "Time", "MessageTime", "Durations"}
ARRAYS = {"ArrayLike", "npt.ArrayLike", "Array", "FloatArray"}
SEQUENCES = {"Sequence", "Collection", "Iterable", "Mapping", "tuple", "list"}

# Their own arguments but the value are literals of the functions that use them.
CHECKS = ("snippets.domain", "snippets.arrays")
CHECKED_VALUES = ("value", "values")

# What simulators and processes call with what they have checked, and what takes anything, or an array of anything.
INTERNAL = {
    f"snippets.{name}"
    for name in (
        "background.optimization.simulators.GradientDescent.update",
        "background.optimization.simulators.Momentum.update",
        "background.optimization.simulators.Adam.update",
        "background.optimization.simulators.AdamW.update",
        *(f"foundations.roofline.simulators.CountedMemory.{method}" for method in ("take", "load", "drop", "store")),
        "foundations.alpha_beta.loopback_echo.receive_exactly",
        "foundations.alpha_beta.loopback_echo.serve",
        "memory.zero.sharded_adam.GivenGradients.forward",
        "memory.zero.sharded_adam.GivenGradients.backward",
        *(f"parallelism.pipeline.programs.{name}" for name in ("due_tasks", "follower_task")),
        *(f"parallelism.tensor.programs.{name}" for name in ("block_inner", "block_inner_backward")),
        *(f"parallelism.sequence.programs.{name}" for name in ("attend_block", "attend_block_backward")),
        "parallelism.expert.programs.expert_rank_program",
        "simulation.account.Memory.watch",
        "simulation.account.is_array",
        "domain.of_kind",  # what the kind is says which values are good
        "domain.shortened",
        "door.opened",  # a module's __getattr__: what it does not know is an AttributeError
        "simulation.machine.as_request",
    )
}


# What messages call an argument that is the value of something with a name of its own.
SPOKEN = {
    "domain.Catalogue.find-entry": "model",
    "domain.Catalogue.name_of-value": "model",
    "live.knobs.from_units-written": "size",
    "live.knobs.Number.check-value": "stages",
    "live.knobs.Number.place-value": "stages",
    "live.knobs.Number.read-raw": "stages",
    **{f"live.knobs.Choice.{method}-value": "schedule" for method in ("check", "write", "plain")},
    "live.knobs.Choice.read-raw": "schedule",
    **{f"live.knobs.Switch.{method}-value": "full_duplex" for method in ("check", "write", "plain")},
    "live.knobs.Switch.read-raw": "full_duplex",
}


# What is public.


def public(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield a module's functions, classes that check what they are given, and methods, by their qualified names."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__ or "__mutmut_" in name:
            continue
        if inspect.isfunction(value) or (inspect.isclass(value) and is_checked(value)):
            yield name, value
        if inspect.isclass(value) and not getattr(value, "_is_protocol", False):
            for method, function in vars(value).items():
                if (
                    inspect.isfunction(function)
                    and not method.startswith("_")
                    and "__mutmut_" not in method
                    and len(inspect.signature(function).parameters) > 1
                ):
                    yield f"{name}.{method}", function


def is_checked(kind: type) -> bool:
    """Return whether a class checks what it is given; one that does not is a record that functions return."""
    if getattr(kind, "_is_protocol", False):
        return False
    return "__post_init__" in vars(kind) or (not dataclasses.is_dataclass(kind) and "__init__" in vars(kind))


MODULES = {
    found.name: importlib.import_module(found.name)
    for found in pkgutil.walk_packages(snippets.__path__, "snippets.")
    if not found.ispkg
}
PUBLIC = {f"{module}.{name}": function for module in MODULES for name, function in public(MODULES[module])}
# What a chapter's pictures draw with is checked where it is drawn, by ``snippets.drawing`` and ``snippets.figures``.
PUBLIC = {
    name: function
    for name, function in PUBLIC.items()
    if name not in INTERNAL and not re.search(r"\w\.\w+\.figures\.", name)
}


def parameters(name: str) -> dict[str, inspect.Parameter]:
    found = {**inspect.signature(PUBLIC[name]).parameters}
    found.pop("self", None)
    if name == "snippets.quantities.read_quantity":
        found.pop("name")  # what is read is called by it in messages; any text will do
    if name.rpartition(".")[0] in CHECKS:
        return {argument: parameter for argument, parameter in found.items() if argument in CHECKED_VALUES}
    return found


# A valid call of each.


def place(name: str) -> tuple[ModuleType, list[str]]:
    """Return the module of a qualified name, and the names within it."""
    module = max((module for module in MODULES if name.startswith(f"{module}.")), key=len)
    return MODULES[module], name.removeprefix(f"{module}.").split(".")


def fresh(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that a call may change; what cannot be copied cannot be changed either."""
    copied = {}
    for argument, value in arguments.items():
        try:
            copied[argument] = copy.deepcopy(value)
        except TypeError:
            copied[argument] = value
    return copied


@functools.cache
def valid_call(name: str) -> dict[str, Any]:
    """Return the arguments, ``self`` included, of the first call that the docstring's example makes."""
    module, path = place(name)
    holder = vars(module)[path[0]]
    calls: list[dict[str, Any]] = []
    namespace = dict(vars(module))
    with contextlib.ExitStack() as stack:
        if len(path) == 2:
            patched = recorder(vars(holder)[path[1]], calls)
            stack.enter_context(mock.patch.object(holder, path[1], patched))
        elif inspect.isclass(holder):  # however the example makes an object of it
            stack.enter_context(mock.patch.object(holder, "__init__", recorder(holder.__init__, calls)))
        else:
            namespace[path[0]] = recorder(holder, calls)
            stack.enter_context(mock.patch.object(module, path[0], namespace[path[0]]))
        text = f"{inspect.getdoc(holder)}\n\n{inspect.getdoc(PUBLIC[name])}"
        for example in doctest.DocTestParser().get_examples(text):
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                exec(compile(ast.parse(example.source), name, "exec"), namespace)
    for call in calls:
        if inspect.isclass(holder) and len(path) == 1:
            call.pop("self")
    if not calls and all(parameter.default is not parameter.empty for parameter in parameters(name).values()):
        return {argument: parameter.default for argument, parameter in parameters(name).items()}
    assert calls, f"{name} needs an example in its docstring that calls it with valid arguments"
    return calls[0]


def recorder(function: Callable[..., Any], calls: list[dict[str, Any]]) -> Callable[..., Any]:
    """Return a function that does the same and keeps the arguments of each call that ends well."""

    @functools.wraps(function)
    def recording(*args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        kept = fresh(bound.arguments)
        result = function(*args, **kwargs)
        calls.append(kept)
        return result

    return recording


# What must be refused whatever the function does.


def kinds(parameter: inspect.Parameter) -> set[str]:
    """Return the names of the types that an annotation allows, without what stands in brackets."""
    text = str(parameter.annotation)
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = shorter
    return {part.strip() for part in text.split("|")}


def said_of(name: str, argument: str) -> str:
    """Return what the docstring says of an argument; where it does not list the arguments, all that it says."""
    text = inspect.getdoc(PUBLIC[name]) or ""
    if not re.search(r"^(Args|Attributes):$", text, re.MULTILINE):
        return text
    said = re.search(rf"\n    \*?{argument}: (.*?)(?=\n    \S|\n\n|\Z)", text, re.DOTALL)
    return said[1] if said else ""


def takes_infinity(name: str, argument: str) -> bool:
    return "inf" in said_of(name, argument)


def takes_negative(name: str, argument: str) -> bool:
    return re.search(r"(?<!not )negative|\b(?:any|a) finite number|from −", said_of(name, argument)) is not None


def takes_zero(name: str, argument: str) -> bool:
    """Return whether 0 is the default, or the docstring names it: at least 0, from 0, 0 for none."""
    default = parameters(name)[argument].default
    is_default = is_number(default) and default == 0
    return is_default or re.search(r"(?<![\w.,])0(?![\w.,]*\d)", said_of(name, argument)) is not None


def takes_complex(name: str) -> bool:
    return "complex" in (inspect.getdoc(PUBLIC[name]) or "")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def may_be_taken(value: Any, allowed: set[str]) -> bool:
    """Return whether a value is of a type that the annotation allows, and may so be valid."""
    if "Any" in allowed:
        return True
    if value is None or isinstance(value, bool | str):
        return ("None" if value is None else type(value).__name__) in allowed
    if isinstance(value, int):
        return bool(allowed & (INTEGERS | REALS | ARRAYS))
    if isinstance(value, float):
        return math.isfinite(value) and bool(allowed & (REALS | ARRAYS))
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isfinite(value).all()) and bool(allowed & (ARRAYS | SEQUENCES))
    return isinstance(value, list | tuple | dict) and bool(allowed & (ARRAYS | SEQUENCES | {"Durations"}))


def with_entry(values: Any, entry: Any) -> Any:
    """Return a list, tuple or array with its first number replaced, or ``None`` where there is no number in it."""
    if isinstance(values, np.ndarray):
        if not values.size or values.dtype.kind not in "iufO" or isinstance(entry, bool | str | complex):
            return None
        changed = values.astype(object)
        changed.flat[0] = entry
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            return changed if values.dtype == object else changed.astype(float)
        return None
    if not isinstance(values, list | tuple) or type(values) not in (list, tuple) or not values:
        return None
    first = entry if isinstance(values[0], int | float) else with_entry(values[0], entry)
    return None if first is None else type(values)([first, *values[1:]])


def bad_values(name: str, argument: str) -> Iterator[tuple[str, Any, bool]]:
    """Yield what to replace an argument by: how to call it, the value, and whether it may be taken after all."""
    allowed = kinds(parameters(name)[argument])
    signed = bool(allowed & ARRAYS) or takes_negative(name, argument)
    least = 0 if takes_zero(name, argument) else math.ulp(0.0)
    for said, value in (SCALARS | CONTAINERS).items():
        taken = may_be_taken(value, allowed) and (signed or not is_number(value) or value >= least)
        taken |= said == "inf" and takes_infinity(name, argument)
        taken |= said == "1j" and takes_complex(name)
        taken |= said == "texts" and "[str]" in str(parameters(name)[argument].annotation)
        yield said, value, bool(taken)
    given = valid_call(name)[argument]
    for said, entry in SCALARS.items():
        changed = with_entry(given, entry)
        if changed is not None and entry is not None:
            finite = is_number(entry) and abs(entry) < math.inf
            flags = isinstance(entry, bool) and "[bool]" in str(parameters(name)[argument].annotation)
            yield f"[0] = {said}", changed, finite or flags or (said == "1j" and takes_complex(name))


# What comes of it.


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder: an argument may name a file that is made."""
    monkeypatch.chdir(tmp_path)


@contextlib.contextmanager
def limits() -> Iterator[None]:
    """Stop what takes too long or too much memory, and turn warnings into errors."""

    def stop(*_: Any) -> None:
        raise TooSlow

    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, stop)
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + LIMIT_BYTES, before[1]))
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGPROF, handler)


class TooSlow(BaseException):
    """Not an ``Exception``, so that nothing catches it by the way."""


def not_finite(result: Any) -> bool:
    """Return whether a NaN or an infinity is anywhere in a result."""
    if isinstance(result, float):
        return not math.isfinite(result)
    if isinstance(result, np.ndarray | np.generic):
        return result.dtype.kind in "fc" and not np.isfinite(result).all()
    if dataclasses.is_dataclass(result):
        return any(not_finite(getattr(result, field.name)) for field in dataclasses.fields(result))
    if isinstance(result, Mapping):
        return any(map(not_finite, result.values()))
    return isinstance(result, list | tuple | Iterator) and any(map(not_finite, result))


def speaks_of_infinity(function: Callable[..., Any]) -> bool:
    returns = re.search(r"Returns:(.*?)(\n\n|\Z)", inspect.getdoc(function) or "", re.DOTALL)
    return returns is not None and "infinit" in returns[1]


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function with arguments by name, those that have no name for callers by place, and use what it returns."""
    signature = inspect.signature(function)
    bound = inspect.BoundArguments(signature, arguments)
    result = function(*bound.args, **bound.kwargs)
    if isinstance(result, contextlib.AbstractContextManager):
        with result as result:
            return result
    return list(result) if isinstance(result, Iterator) else result


def explains(message: str, argument: str, value: Any) -> bool:
    """Return whether a message names the argument, says what is allowed, and tells what was there."""
    if value is None and re.fullmatch(rf"missing: (?:.*, )?{argument}(?:, .*)?", message):
        return True  # of several ways to say something, none was taken
    named = re.search(rf"(?<![A-Za-z0-9_]){argument}(?![A-Za-z0-9_])", message) is not None
    told = "the result overflows" in message or ("got" in message and (value is None or message[-8:] != "got None"))
    return named and told and " must " in message


def verdict(name: str, argument: str, value: Any, *, allowed: bool) -> str | None:
    """Return what is wrong with the way a function takes a bad value, or ``None``."""
    several = parameters(name)[argument].kind is inspect.Parameter.VAR_POSITIONAL
    arguments = {**fresh(valid_call(name)), argument: (value,) if several else value}
    spoken = SPOKEN.get(f"{name.removeprefix('snippets.')}-{argument}", argument)
    if name.rpartition(".")[0] in CHECKS and "name" in arguments:
        spoken = re.escape(arguments["name"])
    try:
        with limits():
            result = call(PUBLIC[name], arguments)
    except (ValueError, TypeError) as error:
        if explains(str(error), spoken, value):
            return None
        return f"{type(error).__name__}: {error}"
    except (Exception, TooSlow) as error:
        return f"{type(error).__name__}: {error}"
    if not allowed:
        return f"returned {str(result)[:60]}, but nothing says that it means anything"
    if not_finite(result) and not speaks_of_infinity(PUBLIC[name]):
        return f"returned {str(result)[:60]}, which is not finite"
    return None


MEASURES = ("measure_cpu", "measure_loopback", "measure_matmul")  # their times differ from call to call


@pytest.mark.parametrize("name", PUBLIC)
def test_a_valid_call_may_have_its_counts_as_floats(name: str) -> None:
    """``7e9`` is taken for 7,000,000,000, and nothing of the float is left in the result."""
    given = valid_call(name)
    counts = {
        argument: float(given[argument])
        for argument, parameter in parameters(name).items()
        if "int" in kinds(parameter) and isinstance(given[argument], int) and not isinstance(given[argument], bool)
    }
    with limits():
        expected = call(PUBLIC[name], fresh(given))
    if counts and len(place(name)[1]) == 1 and not name.endswith(MEASURES):
        with limits():
            found = call(PUBLIC[name], fresh(given) | counts)
        assert re.sub(" at 0x[0-9a-f]+", "", repr(found)) == re.sub(" at 0x[0-9a-f]+", "", repr(expected))


@pytest.mark.parametrize("name", [name for name in PUBLIC if parameters(name)])
def test_bad_values_are_refused_by_name(name: str) -> None:
    wrong = []
    for argument in parameters(name):
        cases = sampled(bad_values(name, argument), 4, changed=lambda case: case[0] == "0")  # at night all, 26 and more
        for said, value, allowed in cases:
            problem = verdict(name, argument, value, allowed=allowed)
            if problem:
                wrong.append(f"{argument} = {said}: {problem[:200]}")
    assert not wrong, "\n".join([name, *wrong])
