"""Commands: the book's formulas from a terminal; options and help are made from signatures and docstrings.

Seven commands answer what is asked most (``snippets.commands``, ``snippets.plan_commands``), one holds the final exam
(``snippets.exam_commands``); every formula is a command of its own name besides, as far as its arguments can be typed.
Only the module of what was asked for is imported.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import importlib
import inspect
import itertools
import json
import math
import operator
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter, Token, UnusedCliTokensError

from snippets.domain import Catalogue, UnknownName, each, flag, named, shortened, squeezed, text
from snippets.index import (
    CALLED_ELSEWHERE,
    SAME_ARGUMENT,
    also,
    find_formula,
    formula_modules,
    labelled,
    taken_by,
    unit_end,
    unit_of,
)
from snippets.quantities import is_unit, read_quantity
from snippets.version import BOOK_VERSION

PLANNED = ("plan", "step")  # `plan` is answered by snippets.plan_commands.plan_answer, the others by snippets.commands
QUESTIONS = ("memory", "all_reduce", "pipeline", "roofline", "train", *PLANNED)
EXAM = "exam"  # is answered by snippets.exam_commands.exam_answer
WIDTH = 100
ABOUT = """Numbers of distributed training, each with its convention and its source.

Seven commands answer a question; every formula of the book is a command of its own name besides:
`python -m snippets ring-all-reduce-bytes --ranks 8 --bytes 14e9`. `list` names them all, `list WORD` those that match.
`exam` asks you in turn: the final exam.
Each command has --help and --json; --version says of which version of the book this is."""

_NUMBERS = {"int", "float", "Fraction", "Time"}
_SHORT = {"size_bytes": "--bytes"}  # what an option may be called besides
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_COUNTS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1.0, ""))  # as the field says them
_SCALED = {"bytes": "B", "bytes/s": "B/s", "FLOP/s": "FLOP/s"}
# What options of `plan` and `step` are called besides; of a formula such a word may be another argument.
_PLAN_WORDS = {
    "chunks": ("vpp", "virtual_stages"),
    "context": ("cp", "context_parallel", "cp_size", "context_parallel_size"),
    "data": ("dp", "data_parallel", "dp_size", "data_parallel_size"),
    "expert": ("ep", "expert_parallel", "ep_size", "expert_parallel_size"),
    "feed_forward_width": ("ffn", "ffn_width", "ffn_hidden_size", "intermediate_size"),
    "free_share": ("free",),
    "gpu_flops_per_s": ("peak", "peak_flops_per_s"),
    "gpu_memory_bytes": ("memory", "memory_bytes"),
    "gpu_memory_bytes_per_s": ("memory_rate", "memory_bandwidth", "memory_bandwidth_bytes_per_s"),
    "link_bytes_per_s": ("link",),
    "network_bytes_per_s": ("network",),
    "pipeline": ("pp", "pipeline_parallel", "pp_size", "pipeline_parallel_size", "stages"),
    "tensor": ("tp", "tensor_parallel", "tp_size", "tensor_parallel_size"),
    "usd_per_gpu_hour": ("usd",),
}
_SEARCHED = ("Also", "Summary", "Convention", "Source")
_MANY = 40  # entries of a table, too many for a sentence
_MOST_VALUES = 2**19  # of an answer; more take seconds to print
_TIMES = ((86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: print its answer, or on the error stream the one sentence that says what is wrong.

    Args:
        arguments: what follows ``python -m snippets``; that of the process unless given.

    Returns:
        The exit status: 0, or 2 where a command, an option or a value is not one.

    Example:
        >>> main(["ring-all-reduce-bytes", "--ranks", "8", "--bytes", "0"])
        ring_all_reduce_bytes(ranks=8, size_bytes=0) = 0.0 bytes
        <BLANKLINE>
        Returns:     Bytes that one rank sends; it receives as many.
        Convention:  sent by one rank, in one direction.
        Source:      Patarasuk and Yuan 2009.
        Leaves out:  chunks of different length (``collective_traffic`` counts them).
        Chapter:     13
        0
    """
    given = list(sys.argv[1:]) if arguments is None else list(each("arguments", arguments, text))
    if given[:1] == ["help"]:
        given = [*given[1:], "--help"]
    if given == ["--version"]:
        print(f"Many Machines, One Gradient {BOOK_VERSION}")
        return 0
    try:
        app = _app(given)
        given = _as_options(given)
        answer = app(given, exit_on_error=False, print_error=False, result_action="return_value")
    except (CycloptsError, ValueError, TypeError) as error:
        print(_sentence(error, given), file=sys.stderr)
        return 2
    try:
        print(answer or "", end="\n" if answer else "", flush=True)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def list_formulas(word: str = "", *, part: str = "", json: bool = False) -> str:
    """List the formulas that are commands, by part and module, and those that no command line can call.

    Args:
        word: show what has this word, or all of several, in its name, what the field calls it besides, its first
            sentence, its convention, its source or its module's sentence; ``models``, ``devices``, ``links`` and
            ``recipes`` list what those options take.
        part: show one part of the book: background, foundations, scaling, collectives, parallelism, memory,
            simulation, everywhere.
        json: print JSON: name, command, part, module, summary, chapter, and of what is left out the argument and why.

    Returns:
        The list.

    Example:
        >>> "bus-bandwidth-factor" in list_formulas("bus bandwidth", part="collectives")
        True
    """
    entries = [_entry(name, module) for name, module in formula_modules().items()]
    kind = {"gpus": "devices", "accelerators": "devices"}.get(text("word", word).casefold(), word.casefold())
    if kind in CATALOGUES:
        return _list_names(kind, flag("json", json))
    parts = tuple(dict.fromkeys(entry["part"] for entry in entries))
    if text("part", part):
        part = named("part", part, parts)
    wanted = word.casefold().replace("-", " ").replace("_", " ").split()
    found = [
        entry
        for entry in entries
        if all(one in entry["searched"] for one in wanted) or squeezed(word) in entry["spelled"]
    ]
    shown = [entry for entry in found if part in ("", entry["part"])]
    able = [entry for entry in shown if not entry["left_out"]]
    unable = [entry for entry in shown if entry["left_out"]]
    if flag("json", json):
        return _as_json({"formulas": [*map(_listed, able)], "left_out": [*map(_listed, unable)]})
    lines = []
    for module in dict.fromkeys((entry["part"], entry["module"], entry["about"]) for entry in able):
        lines += ["", f"{module[0]} · {module[2]}"]
        inside = [entry for entry in able if entry["module"] == module[1]]
        wide = max(len(entry["command"]) for entry in inside)
        lines += [f"  {entry['command']:{wide}}  {entry['summary'].replace('``', '`')}" for entry in inside]
    if not shown:
        return "0 formulas; `list` without a word names all"
    if unable:
        lines += ["", "Left out: call these from Python"]
        lines += [f"  {entry['name']}: {entry['left_out']}" for entry in unable]
    count = f"{len(able)} formula{'' if len(able) == 1 else 's'}" + (f", {len(unable)} left out" if unable else "")
    return "\n".join([*lines[1:], "", count] if lines else [count])


def _list_names(kind: str, json: bool) -> str:
    """Return the names of a catalogue's entries, each with what matters most of it."""
    names = {name: _plain(said(entry)) for name, entry in _catalogue(kind).items() for said in (CATALOGUES[kind][2],)}
    if json:
        return _as_json({kind: names})
    wide = max(map(len, names))
    return "\n".join(f"{name:{wide}}  {_said(value, CATALOGUES[kind][3])}" for name, value in names.items())


def _catalogue(kind: str) -> Catalogue[Any]:
    """Return a catalogue of the book, importing its module."""
    module, name = CATALOGUES[kind][:2]
    found: Catalogue[Any] = getattr(importlib.import_module(module), name)
    return found


def _parameters_of(model: Any) -> int:
    count: int = find_formula("parameter_count")(model)
    return count


# What `list` takes besides: where its catalogue is, and what is printed of an entry, in which unit.
CATALOGUES: dict[str, tuple[str, str, Callable[[Any], Any], str]] = {
    "models": ("snippets.models", "MODELS", _parameters_of, "parameters"),
    "devices": ("snippets.hardware", "ACCELERATORS", operator.attrgetter("memory_bytes"), "bytes"),
    "links": ("snippets.hardware", "LINKS", operator.attrgetter("bandwidth_bytes_per_s"), "bytes/s"),
    "recipes": ("snippets.recipes", "RECIPES", operator.attrgetter("source"), ""),
}
# Which of them an argument takes its name from.
_TAKES = {"model": "models", "device": "devices", "accelerator": "devices", "recipe": "recipes"}
_TAKES |= {"link": "links", "node_link": "links"}


# What there is.


def _named_command(wanted: str, known: list[str]) -> str:
    """Return the function of a command, however that is spelled; where nothing is near, say how to find one."""
    try:
        aliases = {alias: _typed(name) for alias, name in also().items()}
        return named("command", wanted, known, aliases=aliases).replace("-", "_")
    except UnknownName as error:
        if error.near:
            raise
        questions = ", ".join(map(_typed, QUESTIONS))
        raise ValueError(
            f"command must be {questions}, list or a formula's name, got {wanted!r}; `list WORD` finds formulas"
        ) from None


def _app(given: list[str]) -> App:
    """Return the commands that these arguments can mean, one formula at most; the first is spelled as its name is."""
    app = App(name="python -m snippets", help=ABOUT, version_flags=[], help_format="plaintext")
    known = (*QUESTIONS, EXAM, "list", *formula_modules())
    wanted = given[0] if given and not given[0].startswith("-") else ""
    if wanted:
        wanted = _named_command(wanted, [_typed(name) for name in known])
        given[0] = _typed(wanted)
    if wanted in ("", "list"):
        app.command(list_formulas, name="list")
    if wanted in ("", EXAM, *QUESTIONS):
        for name in (*QUESTIONS, EXAM) if not wanted else (wanted,):
            app.command(_command(find_question(name), _answer), name=_typed(name))
    elif wanted != "list":
        function = find_formula(wanted)
        if left_out := _left_out(function):
            raise ValueError(f"command must be one that can be typed, got {wanted}, to call from Python: {left_out}")
        app.command(_command(function, _result), name=_typed(wanted), help=_about(function))
    return app


def find_question(name: str) -> Callable[..., Any]:
    """Return the function that answers one of the questions, importing the module that it is in.

    Args:
        name: one of ``QUESTIONS``, or ``"exam"``.

    >>> find_question("train").__module__
    'snippets.commands'
    """
    name = named("name", name, (*QUESTIONS, EXAM))
    homes = {**dict.fromkeys(PLANNED, "plan_commands"), EXAM: "exam_commands"}
    home, own = (homes[name], f"{name}_answer") if name in homes else ("commands", name)
    found: Callable[..., Any] = getattr(importlib.import_module(f"snippets.{home}"), own)
    return found


def _typed(name: str) -> str:
    """Return a name as it is typed."""
    return name.replace("_", "-")


def _entry(name: str, module: str) -> dict[str, str]:
    """Return what the list says of a formula."""
    function = find_formula(name)
    home = sys.modules[module].__doc__ or ""
    about = home.split("\n\n")[0].partition(": ")[2].replace("\n", " ")
    said, path = labelled(function), module.split(".")
    name_words = " ".join([name, *(path[2:] or path[1:])])
    return {
        "name": name,
        "command": _typed(name),
        "part": path[1] if len(path) > 2 else "everywhere",
        "module": module,
        "about": about,
        "summary": said["Summary"],
        "chapter": said["Chapter"],
        "left_out": "" if name in QUESTIONS else _left_out(function),
        "searched": f"{name_words} {about} {' '.join(said.get(label, '') for label in _SEARCHED)}".casefold()
        .replace("_", " ")
        .replace("-", " "),
        "spelled": squeezed(f"{name} {said.get('Also', '')}"),
    }


def _listed(entry: Mapping[str, str]) -> dict[str, str]:
    """Return what the list's JSON has of a formula."""
    return {key: words for key, words in entry.items() if key not in ("about", "searched", "spelled") and words}


def _about(function: Callable[..., Any]) -> str:
    """Return what the help of a formula begins with."""
    said = labelled(function)
    lines = [f"{label}: {said[label]}" for label in ("Returns", "Convention", "Source", "Leaves out") if label in said]
    return _as_typed("\n\n".join([said["Summary"], *lines]), function)


def _as_typed(words: str, function: Callable[..., Any]) -> str:
    """Return a docstring for who types: what a table holds in place of its name in Python, and no record of one's own.

    >>> _as_typed("one of ``STAGES``, or a ``Recipe`` of your own.", find_formula("zero_state_bytes"))
    'one of 0, 1, 2, 3.'
    """

    def held(match: re.Match[str]) -> str:
        table = inspect.unwrap(function).__globals__.get(match[1])
        for kind, (_, name, *_) in CATALOGUES.items():
            if name == match[1] or (isinstance(table, Catalogue) and _catalogue(kind) is table):
                return f"`list {kind}`" + (" or a config.json" if kind == "models" else "")
        if isinstance(table, Catalogue):
            return ", ".join(table)
        if isinstance(table, tuple | list | Mapping) and not match[2] and len(table) <= _MANY:
            return ", ".join(map(str, table))
        return f"`{match[1]}`" if not match[2] else f"those of the {match[2][1:-1]}"

    words = re.sub(r",? or an?\s+(``\w+``|configuration)\s+of\s+your\s+own", "", words)
    return re.sub(r"``([A-Z][A-Z_]+)(\[\w+\])?``", held, words).replace("``", "`")


# From a signature to options.


def _as_options(given: Sequence[str]) -> list[str]:
    """Return what was given with options in their own spelling, and a number joined to a unit that stands beside it.

    An option may go without the unit that its name ends in where its value has one: ``--mtbf 3h``.

    Args:
        given: a command, as it is called, and what follows it.

    Returns:
        The same, for the library that reads it.

    Raises:
        ValueError: if there is no such option; the message names what may be meant.

    >>> _as_options(["pipeline", "--microbatches=32", "--Forward_S", "5", "ms"])
    ['pipeline', '--micro-batches=32', '--forward-s', '5ms']
    """
    names = _arguments(given)
    if not names:
        return list(given)
    same = SAME_ARGUMENT | _PLAN_WORDS if given[0] in PLANNED else SAME_ARGUMENT
    options = {squeezed(word): _flag(name) for name in names for word in same.get(name, ())}
    options |= {squeezed(option): option for option in _options(names)}
    ends = [(squeezed(name.removesuffix(f"_{unit_end(name)}")), _flag(name)) for name in names if unit_end(name)]
    short = {word: option for word, option in ends if [each for each, _ in ends].count(word) == 1}
    read, wrong = [given[0]], []
    for place, word in enumerate(given[1:], start=1):
        option, equals, value = word.partition("=")
        if re.match("--?[A-Za-z]", option) and option != "-h":
            meant = options.get(squeezed(option))
            if meant is None and _has_unit(value or " ".join(given[place + 1 : place + 3])):
                meant = short.get(squeezed(option))
            if meant is None:
                wrong.append(option)
            read.append((meant or option) + equals + value)
        elif is_unit(word) and re.fullmatch(r"\$?[\d.,]*\d(?:e[+-]?\d+)?", read[-1].partition("=")[2] or read[-1]):
            read[-1] += word
        else:
            read.append(word)
    if wrong:
        raise ValueError(_no_option(wrong, given[0], names, options))
    return read


def _has_unit(value: str) -> bool:
    """Return whether a value begins with a number that has a unit.

    >>> _has_unit("3h"), _has_unit("5 ms --json"), _has_unit("3"), _has_unit("8 --json")
    (True, True, False, False)
    """
    found = re.match(r"\$?[\d.,]*\d(?:e[+-]?\d+)?\s*([A-Za-zµμ%/]+)", value)
    return found is not None and is_unit(found[1])


def _options(names: Mapping[str, inspect.Parameter]) -> list[str]:
    """Return all options of a command."""
    flags = [
        name for name, parameter in names.items() if _shape(str(parameter.annotation)) == "flag" and name != "json"
    ]
    spelled = [word for name in names for word in dict.fromkeys((_flag(name), f"--{_typed(name)}"))]
    return [*spelled, *(f"--no-{_typed(name)}" for name in flags), "--json", "--help"]


def _no_option(
    wrong: Sequence[str], command: str, names: Mapping[str, inspect.Parameter], options: Mapping[str, str]
) -> str:
    """Return that there are no such options, and which may be meant."""
    for option in wrong:
        if other := taken_by(command.replace("-", "_"), option):
            return f"there is no {option} here; `{_typed(other)}` takes it"
    meant = [" or ".join(near[:3]) for option in wrong if (near := _near_options(option, names, options))]
    asked = f"did you mean {', '.join(meant)}?" if meant else f"`{command} --help` lists those that there are"
    return f"there is no {', '.join(wrong)} here; {asked}"


def _near_options(option: str, names: Mapping[str, inspect.Parameter], options: Mapping[str, str]) -> list[str]:
    """Return the options that a wrong one may mean: that hold it or are held, called so elsewhere, or spelled alike."""
    wrong = squeezed(option)
    spelled = [(squeezed(option), option) for option in dict.fromkeys(options.values())]
    near = [own for word, own in spelled if min(len(word), len(wrong)) > 2 and (wrong in word or word in wrong)]
    elsewhere = (meant for word, meant in CALLED_ELSEWHERE.items() if wrong.startswith(word))
    near += [_flag(name) for name in next(elsewhere, ()) if name in names]
    near += [options[word] for word in difflib.get_close_matches(wrong, options, cutoff=0.7)]
    return list(dict.fromkeys(near))


def _shape(annotation: str) -> str:
    """Return how an argument of a type is typed: flag, number, integer, text, or several; empty where it cannot be.

    >>> [_shape(kind) for kind in ("int", "int | None", "Recipe | str", "Sequence[float]", "Schedule", "bool")]
    ['integer', 'integer', 'text', 'number several', '', 'flag']
    """
    kinds = {kind.strip() for kind in re.split(r"\|(?![^\[]*\])", annotation)} - {"None"}
    inside = re.fullmatch(r"(?:Sequence|Collection|tuple)\[([^\[\]]*)\]", next(iter(kinds)))
    if inside and len(kinds) == 1:
        one = {kind.strip() for kind in inside[1].split(",")} - {"..."}
        shape = _shape(one.pop()) if len(one) == 1 else ""
        return f"{shape} several" if shape in ("integer", "number", "text") else ""
    if kinds == {"bool"}:
        return "flag"
    if kinds == {"int"}:
        return "integer"
    if kinds <= _NUMBERS:
        return "number"
    if "str" in kinds or kinds == {"Result"}:
        return "number or text" if kinds & _NUMBERS else "text"
    return ""


def _left_out(function: Callable[..., Any]) -> str:
    """Return why a function cannot be called from a command line; empty where it can."""
    for name, parameter in inspect.signature(function).parameters.items():
        if not _shape(str(parameter.annotation)):
            return f"{name} is of type {parameter.annotation}"
    return ""


def _command(function: Callable[..., Any], answer: Callable[..., str]) -> Callable[..., str]:
    """Return a function whose signature the library reads: that of ``function``, as it can be typed, and ``--json``."""

    @functools.wraps(function)
    def command(*args: Any, json: bool = False, **kwargs: Any) -> str:
        arguments = inspect.signature(function).bind(*args, **kwargs).arguments
        return answer(function, {name: _taken(function, name, typed) for name, typed in arguments.items()}, json=json)

    signature = inspect.signature(function)
    taken = [
        parameter.replace(annotation=_option(name, _shape(str(parameter.annotation)), parameter.default))
        for name, parameter in signature.parameters.items()
    ]
    shown = Annotated[bool, Parameter(name="--json", negative=(), help="print JSON")]
    taken.append(inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, annotation=shown, default=False))
    vars(command).pop("__wrapped__")
    command.__doc__ = _as_typed(inspect.getdoc(function) or "", function)
    command.__signature__ = signature.replace(parameters=taken, return_annotation=str)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in taken}
    return command


def _option(name: str, shape: str, default: Any) -> Any:
    """Return the annotation by which the library makes an option of an argument."""
    also: dict[str, Any] = {"alias": _SHORT[name]} if name in _SHORT else {}
    if shape == "flag":
        return Annotated[bool, Parameter(**also)]
    several = shape.endswith("several")
    kind: Any = {"integer": int, "number": float}.get(shape.split()[0], str)
    kind = list[kind] if several else kind
    read = functools.partial(_read, several)
    option = Parameter(converter=read, consume_multiple=several or None, negative=(), **also)
    return Annotated[kind if default is not None else kind | None, option]


def _read(several: bool, type_: Any, tokens: Sequence[Token]) -> Any:
    """Return what was typed, for ``_taken``."""
    return [token.value for token in tokens] if several else tokens[0].value


def _taken(function: Callable[..., Any], name: str, typed: Any) -> Any:
    """Return what was typed as the value that a function takes; it says itself what it does not take."""
    shape = _shape(str(inspect.signature(function).parameters[name].annotation))
    if isinstance(typed, list):
        return [_value(name, shape, one) for one in _several(name, typed)]
    return _value(name, shape, typed) if isinstance(typed, str) else typed


def _several(name: str, typed: Sequence[str]) -> list[str]:
    """Return what was typed for an option that takes several, where a comma may stand between two.

    >>> _several("tensor", ["2,4", "8"])
    ['2', '4', '8']
    """
    for one in typed:
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+", one):
            meant = f"{one.replace(',', ' ')} or {one.replace(',', '')}"
            raise ValueError(f"{name} must be several numbers; write {meant}, got {one!r}")
    return [
        part
        for one in typed
        for part in (one.split(",") if re.fullmatch(r"[\w.]+(?:,[\w.]+)+,?", one) else [one])
        if part
    ]


def _value(name: str, shape: str, typed: str) -> Any:
    """Return a number for what is one, with a unit or not, a model for its file, and else the text.

    >>> _value("ranks", "integer", "7e9"), _value("forward_s", "number", "1/3"), _value("size_bytes", "number", "80GB")
    (7000000000, Fraction(1, 3), 80000000000)
    """
    if _TAKES.get(name) == "models" and typed.endswith(".json"):
        return _model_from_file(name, typed)
    if shape.split()[0] == "text":
        return typed
    for kind in (int, Fraction if "/" in typed else float):
        with contextlib.suppress(ValueError, ZeroDivisionError):
            number = kind(typed)
            break
    else:
        return read_quantity(name, typed, whole=shape.startswith("integer"))
    if isinstance(number, float) and math.isinf(number) and "inf" not in typed.casefold():
        raise ValueError(f"{name} must be a number up to 1.8e308, got {shortened(typed)}")
    whole = isinstance(number, float) and number.is_integer() and "e" in typed.casefold()
    return int(Fraction(typed)) if whole else number + 0  # 1e30 as a float is another integer; -0.0 is 0


def _model_from_file(name: str, path: str) -> Any:
    """Return the model that a ``config.json`` describes, called by its path."""
    from snippets.models import model_from_config

    try:
        config = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no JSON"
        raise ValueError(f"{name} must be a name that `list models` has, or a config.json, got {path}: {why}") from None
    return model_from_config(config, name=path)


# From a result to what is printed.


def _answer(function: Callable[..., Any], arguments: Mapping[str, Any], *, json: bool) -> str:
    """Return what a question answers, as text or as JSON."""
    from snippets.commands import Screen

    rows = function(**arguments)
    given = {"command": _typed(function.__name__.removesuffix("_answer")), "arguments": arguments}
    if isinstance(rows, Screen):
        return _as_json({**given, **rows.record}) if json else "\n".join(rows.lines)
    if json:
        return _as_json({**given, "rows": [*map(_row, rows)]})
    wide = max(len(row.what) for row in rows)
    lines = [f"{row.what:{wide}}  {_said(row.value, row.unit)}".rstrip() for row in rows]
    told: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        told.setdefault((row.name, row.convention if row.name else ""), []).append(row)
    lines += ["", "How each is counted"]
    for (name, convention), of_name in told.items():
        if name:
            notes = {"Convention": convention, "Source": of_name[0].source, "Leaves out": of_name[0].leaves_out}
            lines += ["", *_wrapped("; ".join(row.what for row in of_name), "")]
            for call in dict.fromkeys(_called(name, row.arguments) for row in of_name):
                lines += _wrapped(call, "  ")
            lines += [line for label, words in notes.items() if words for line in _wrapped(f"{label}: {words}", "  ")]
            lines.append(f"  Chapter: {of_name[0].chapter}")
    lines += ["", *(line for row in told.get(("", ""), ()) for line in _wrapped(f"{row.what}: {row.note}", ""))]
    return "\n".join(lines).rstrip()


def _row(row: Any) -> dict[str, Any]:
    keys = ("what", "value", "unit", "name", "arguments", "convention", "source", "chapter", "leaves_out")
    return {key: getattr(row, key) for key in keys}


def _result(function: Callable[..., Any], arguments: Mapping[str, Any], *, json: bool) -> str:
    """Return what a formula gives for arguments, as text or as JSON; what was not given stands there as it is taken."""
    value, said, name = _plain(function(**arguments)), labelled(function), function.__name__
    taken = inspect.signature(function).bind(**arguments)
    taken.apply_defaults()
    arguments = {key: each for key, each in taken.arguments.items() if each is not None}
    if json:
        keys = {key: said.get(key.replace("_", " ").capitalize(), "") for key in ("convention", "source", "chapter")}
        more = {key: said.get(key.replace("_", " ").capitalize(), "") for key in ("formula", "returns", "leaves_out")}
        own = {"name": name, "arguments": arguments, "value": value, "unit": unit_of(name)}
        return _as_json({**own, **keys, **more})
    call = _called(name, arguments)
    labels = ("Returns", "Convention", "Source", "Leaves out", "Chapter")
    notes = [line for label in labels if label in said for line in _wrapped(f"{label + ':':12} {said[label]}", "", 13)]
    if isinstance(value, dict) and value:
        wide = max(map(len, value))
        shown = [
            call,
            *(f"  {key:{wide}}  {_exact(each, unit_of(key) or unit_of(name))}" for key, each in value.items()),
        ]
    else:
        shown = [f"{call} = {_exact(value, unit_of(name))}"]
    return "\n".join([*shown, "", *notes])


def _called(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as one would write it in Python."""
    return f"{name}({', '.join(f'{key}={_short(value)}' for key, value in arguments.items())})"


def _short(value: Any) -> str:
    """Return a value as one would type it: a round number by its power of ten, a fraction with a slash.

    >>> _short(6 * 10**23), _short(7_500_000_000), _short(Fraction(1, 2)), _short("ring")
    ('6e23', '7500000000', '1/2', "'ring'")
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_short, value))}]"
    if isinstance(value, Fraction):
        return str(value)
    if dataclasses.is_dataclass(value):
        return f"model_from_config(json.load(open({getattr(value, 'name', '')!r})))"
    if isinstance(value, float) and not math.isfinite(value):
        return f"math.{value}" if value > 0 else f"-math.{-value}" if value < 0 else "math.nan"
    digits = repr(value)
    if isinstance(value, bool) or not isinstance(value, int) or len(digits) < 17:
        return digits
    short = digits.rstrip("0")
    if len(short) < 9:
        return f"{short}e{len(digits) - len(short)}"
    return digits if len(digits) < 40 else f"{Decimal(value):.4g}"  # it may be more than a float holds


def _wrapped(words: str, indent: str, hang: int | None = None) -> list[str]:
    more = " " * (len(indent) + 4 if hang is None else hang)
    return textwrap.wrap(words, WIDTH, initial_indent=indent, subsequent_indent=more, break_on_hyphens=False)


def _plain(value: Any, counted: Iterator[int] | None = None) -> Any:
    """Return a result as JSON can carry it: a record as a mapping with its properties, a fraction as a number.

    >>> _plain((Fraction(1, 2), range(3, 5), -0.0))
    [0.5, {'start': 3, 'stop': 5}, 0.0]
    """
    counted = itertools.count() if counted is None else counted
    if next(counted) == _MOST_VALUES:
        raise ValueError(f"an answer must hold at most {_MOST_VALUES} values, got more; call the function from Python")
    if dataclasses.is_dataclass(value):
        held = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        record: Any = type(value)  # mypy takes no dataclass's type for hashable
        own = {name: getattr(value, name) for name in _properties(record)}
        return _plain(held | {name: one for name, one in own.items() if not dataclasses.is_dataclass(one)}, counted)
    if isinstance(value, Mapping):
        return {str(key): _plain(each, counted) for key, each in value.items()}
    if isinstance(value, range):
        return {"start": value.start, "stop": value.stop}
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, str | bool | int | None):
        return value
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else str(value)  # -0.0 is 0
    return [_plain(each, counted) for each in value] if isinstance(value, Iterable) else str(value)


@functools.cache
def _properties(record: Any) -> list[str]:
    """Return the names of a class's properties."""
    return [name for name, member in inspect.getmembers(record) if isinstance(member, property)]


def _as_json(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, indent=2)


def _exact(value: Any, unit: str) -> str:
    """Return a value in full, and in a larger unit where that is easier to read.

    >>> _exact(24500000000.0, "bytes"), _exact(0.25, "share"), _exact(8, "")
    ('24500000000.0 bytes (24.5 GB)', '0.25 (25.0%)', '8')
    """
    if isinstance(value, dict | list):
        return f"{json.dumps(value, ensure_ascii=False)} {unit}".strip().replace('"inf"', "infinite")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _said(value, "")
    full = f"{value!r} {unit}".replace(" share", "").strip()
    short = _said(value, unit)
    big = abs(value) >= 1000 or unit in ("share", "s")
    return f"{full} ({short})" if unit and value and big and short != full else full


def _said(value: Any, unit: str) -> str:
    """Return a value with four digits and its unit, as people say it.

    >>> _said(1738634774881.07, "tokens")
    '1.739T tokens'
    >>> _said(1.875e9, "bytes"), _said(0.401, "s"), _said(0.179487, "share"), _said(7000000000, ""), _said(None, "")
    ('1.875 GB', '401 ms', '17.9%', '7,000,000,000', 'none')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if value in ("inf", math.inf):
        return "infinite"
    if not isinstance(value, int | float):
        return str(value)
    if unit == "share":
        return f"{value:.1%}"
    if unit == "USD":
        return f"${value:,.0f}" if abs(value) >= 100 else f"${value:,.2f}"
    if unit in _SCALED and math.isfinite(value):
        factor, prefix = _scale(value, _PREFIXES)
        short = f"{prefix}{_SCALED[unit]}"
        return f"{value / factor:,.4g} {short}" if abs(value) < 1e18 else f"{value:.4g} {unit}"
    if unit in ("tokens", "parameters") and 1e6 <= abs(value) < 1e18:
        factor, prefix = _scale(value, _COUNTS)
        return f"{value / factor:,.4g}{prefix} {unit}"
    if unit == "s" and value and math.isfinite(value):
        longer = value / 2 if abs(value) >= 60 else value  # less than two minutes are said in seconds, and so on
        factor, short = _scale(longer, _TIMES)
        return f"{value / factor:,.4g} {short}"
    if isinstance(value, int) and abs(value) < 10**15:
        return f"{value:,} {unit}".strip()
    number = float(value)
    return f"{number:,.0f} {unit}".strip() if 1e4 <= abs(number) < 1e15 else f"{number:.4g} {unit}".strip()


def _scale(value: float, units: Sequence[tuple[float, str]]) -> tuple[float, str]:
    """Return the largest unit of which there is at least one."""
    return next((unit for unit in units if abs(value) >= unit[0]), units[-1])


# What is wrong.


def _sentence(error: Exception, given: Sequence[str]) -> str:
    """Return an error as one sentence, with options as they are typed, and what to type instead where that is known."""
    said = re.sub(r"\s+", " ", str(error)).strip()
    names = _arguments(given)
    if said.startswith("missing: "):
        lacking = ", ".join(map(_flag, said.removeprefix("missing: ").split(", ")))
        return f"missing: {lacking}; `{given[0]} --help` says what they are"
    if isinstance(error, MissingArgumentError):
        return _missing(error, names, given, said)
    if isinstance(error, UnusedCliTokensError):
        unused = [str(token) for token in error.unused_tokens or ()]
        quoted = " ".join(map(shlex.quote, unused))
        return f"{quoted} belongs to no option; a value with spaces needs quotes: --model 'Llama 3 8B'"
    said = re.sub(r",? got None\b(, )?", lambda match: ", " if match[1] else "", said)
    said = re.sub(r"Fraction\((-?\d+), (\d+)\)", r"\1/\2", said)
    said = re.sub(r"\d{17,}", lambda match: _short(int(match[0])) if len(match[0]) < 4000 else "what is too much", said)
    said = re.sub(r"'([^']{60})[^']{20,}'", r"'\1…'", said)
    if isinstance(error, UnknownName):
        said = _nearest(said)
    said = said.replace("or else model", "or else --model")
    for name in sorted(names, key=len, reverse=True):
        said = re.sub(rf"^{name}\b" + (rf"|\b{name}\b" if "_" in name else ""), _flag(name), said)
    return said


def _flag(name: str) -> str:
    """Return the option of an argument."""
    return _SHORT.get(name, f"--{_typed(name)}")


def _arguments(given: Sequence[str]) -> Mapping[str, inspect.Parameter]:
    """Return the arguments of the command that was asked for; none where there is no such command."""
    name = given[0].replace("-", "_") if given else ""
    if name in (EXAM, *QUESTIONS):
        return inspect.signature(find_question(name)).parameters
    if name == "list":
        return inspect.signature(list_formulas).parameters
    return inspect.signature(find_formula(name)).parameters if name in formula_modules() else {}


def _missing(
    error: MissingArgumentError, names: Mapping[str, inspect.Parameter], given: Sequence[str], said: str
) -> str:
    """Return which options are missing, all of them, or which has no value."""
    typed = {word.partition("=")[0].replace("_", "-") for word in given}
    required = [name for name, parameter in names.items() if parameter.default is inspect.Parameter.empty]
    first = re.search(r"--([\w-]+)", said)
    at = first[1].replace("-", "_") if first else ""
    if not at or typed & {f"--{_typed(at)}", _flag(at)}:
        return f"{_flag(at)} needs a value" if at else said
    after = required[required.index(at) :] if at in required else [at]
    lacking = [name for name in after if not typed & {f"--{_typed(name)}", _flag(name)}]
    return f"missing: {', '.join(map(_flag, lacking))}; `{given[0]} --help` says what they are"


def _nearest(said: str) -> str:
    """Return of a name that there is not whether the names listed are all, or only those that are near."""
    parts = re.match(r"(\w+) must be one of (.*), got (.*)$", said)
    if parts is None:
        return said
    kind, listed = _TAKES.get(parts[1], ""), parts[2].count("'") // 2
    many = len(formula_modules()) if parts[1] == "command" else len(_catalogue(kind)) if kind else listed
    if listed >= many:
        return said
    finds = "`list WORD` finds others" if parts[1] == "command" else f"`list {kind}` names all {many}"
    return f"{parts[1]} must be a name that there is, such as {parts[2]}, got {parts[3]}; {finds}"
