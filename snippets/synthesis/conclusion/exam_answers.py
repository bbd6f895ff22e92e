"""Formulas: an answer to a task of the exam, read from one line of text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from snippets.composition.configuration_search.written_layouts import LAYOUT_NAMES, WrittenLayout, read_layout
from snippets.domain import Answers, named, of_kind, text
from snippets.hardware import NODES
from snippets.synthesis.conclusion.exam_layouts import ExamJob
from snippets.synthesis.conclusion.exam_sheet import allowed_keeps
from snippets.synthesis.conclusion.exam_tasks import INVARIANTS, ExamTask

MOST_CHARACTERS = 300
_UNITS_S = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "min": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0}
_OWN = {"deadline": ("device", "nodes", "interval"), "repair": ("binds", "step")}
_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,20})?)([a-z]*)")
_STAGE = ("zero", "zero_stage", "stage")
_WIDE = str.maketrans("＝：，；", "=:,;")
_MOST_SHOWN = 20
_Part = TypeVar("_Part")
# What the layout's own errors call things that an answer writes otherwise.
_WORDS = {
    "expert must be such that expert × expert_tensor divides tensor × context × data": "e must divide t × c × d",
    "batch_sequences must be a multiple of data × micro_batch": "the sequences of a step must be a multiple of d × b",
    "batch_sequences must give at least as many micro-batches as stages": (
        "the sequences of a step must give each copy at least as many micro-batches as stages"
    ),
    "layers must be a multiple of stages × chunks": "the layers must be a multiple of p × v",
    "stages must be at most layers": "p must be at most the layers",
    "tensor_parallel must": "t must",
    "chunks must be 1 where pipeline is 1": "v must be 1 where p is 1",
    "expert must be 1 for a model without experts": "e must be 1 for a model without experts",
    "expert must divide": "e must divide",
    "expert_tensor must": "etp must",
    "stage must be": "zero must be",
    "answer must name": "the answer must name",
    "answer must": "the answer must",
}


class ImpossibleAnswer(ValueError):
    """Why an answer that can be read cannot run."""


@dataclass(frozen=True)
class ExamAnswer(Answers):
    """An answer, read.

    Attributes:
        job: the task's job, on the nodes that the answer rents.
        written: its layout, and what the layers make again.
        interval_s: between two checkpoints, where the task asks for one; else 0.
        binds: the invariant that binds, where the task asks for one; else empty.
        step_s: the step that is predicted, where the task asks for one; else 0.
        unread: of a repair, parts that could not be read, each with the reason; the layout of one that has none is the
            one to repair.

    >>> from snippets.synthesis.conclusion.exam_tasks import exam_tasks
    >>> read_answer(exam_tasks(1)[0], "t=8 p=4").written.layout.tensor
    8
    """

    job: ExamJob
    written: WrittenLayout
    interval_s: float = 0.0
    binds: str = ""
    step_s: float = 0.0
    unread: tuple[tuple[str, str], ...] = ()


def one_line(answer: str) -> str:
    """Return an answer as it is kept: on one line, without what no answer holds, at most 300 characters.

    Args:
        answer: any text.

    Returns:
        The line.

    Source: a convention of this book.
    Leaves out: nothing.

    Example:
        >>> one_line("  t=8\\n p=4 ")
        't=8 p=4'
    """
    words = "".join(letter if letter.isprintable() else " " for letter in text("answer", answer)).split()
    return " ".join(words)[:MOST_CHARACTERS].strip()


def read_answer(task: ExamTask, answer: str) -> ExamAnswer:
    """Return what an answer to a task says.

    Args:
        task: the task.
        answer: one line, in the form that the task names.

    Returns:
        The answer, read.

    Raises:
        ValueError: if something is missing, stands twice, or is not what the task allows; an ``ImpossibleAnswer`` if
            it can be read, but no layout is so, or no node.

    Source: ``read_layout``; ``device``, ``nodes``, ``interval``, ``binds`` and ``step`` are the exam's own.
    Convention: what a layout doesn't name is 1, but for d, which takes the GPUs that are left.
    Leaves out: whether it is a good answer.

    Example:
        >>> from snippets.synthesis.conclusion.exam_tasks import exam_tasks
        >>> read_answer(exam_tasks(1)[4], "binds=compute t=8 step=2.5s").step_s
        2.5
    """
    of_kind("task", task, ExamTask)
    line = one_line(answer).casefold().translate(_WIDE)
    line = re.sub(rf"^(?:task\s*)?{task.number}\s*[:.)]\s*(?=[a-z])", "", line)
    if not line:
        raise ValueError("answer must name what the task asks for, got nothing")
    line = re.sub(r"\s*[=:]\s*", "=", re.sub(r"dgx\s+(?=[a-z])", "", line)).replace('"', "").replace("'", "")
    line = re.sub(rf"(?<=\d) (?=(?:{'|'.join(_UNITS_S)})\b)", "", line)
    own, rest = {}, []
    for word in re.split(r"[,;\s]+", line):
        name, sign, value = word.partition("=")
        if name in _OWN.get(task.kind, ()):
            if name in own:
                raise ValueError(f"answer must name {name} once, got it twice")
            own[name] = value if sign else ""
        else:
            rest.append(word)
    if task.kind == "repair":
        return _repair(task, own, " ".join(filter(None, rest)))
    missing = [name for name in _OWN.get(task.kind, ()) if name not in own]
    if missing:
        raise ValueError(f"answer must name {' and '.join(missing)}, as in {task.form}, got none")
    job = _rented(task, own) if task.kind == "deadline" else task.job
    written = _layout(" ".join(filter(None, rest)), job, own=_OWN.get(task.kind, ()))
    if task.kind == "deadline":
        return ExamAnswer(job, written, interval_s=_time("interval", own["interval"], plain=False))
    return ExamAnswer(job, written)


def _repair(task: ExamTask, own: dict[str, str], rest: str) -> ExamAnswer:
    """Return the parts of a repair that can be read, and why the others cannot."""
    unread: list[tuple[str, str]] = []

    def part(name: str, read: Callable[[], _Part], otherwise: _Part) -> _Part:
        try:
            return read()
        except ValueError as error:
            unread.append((name, str(error)))
            return otherwise

    def named_part(name: str) -> str:
        if not own.get(name):
            raise ValueError(f"answer must name {name}, as in {task.form}, got none")
        return own[name]

    start = read_layout(task.layout, gpus=task.job.cluster.gpus)
    written = part("layout", lambda: _layout(rest, task.job, own=_OWN["repair"]), start)
    binds = part("binds", lambda: named("binds", named_part("binds"), INVARIANTS), "")
    step_s = part("step", lambda: _time("step", named_part("step"), plain=True), 0.0)
    if len(unread) == 3:
        raise ValueError(unread[0][1])
    return ExamAnswer(task.job, written, binds=binds, step_s=step_s, unread=tuple(unread))


def plain_reason(error: ValueError) -> str:
    """Return an error's sentence in the letters in which answers are written.

    Args:
        error: what the layout or the reading raised.

    Returns:
        The sentence, without its end.

    Source: a convention of this book.
    Leaves out: nothing.

    Example:
        >>> plain_reason(ValueError("stage must be 0, 1, 2 or 3, got 4"))
        'zero must be 0, 1, 2 or 3, got 4'
    """
    said = str(of_kind("error", error, ValueError))
    if said.startswith("sequence must be a multiple of"):
        return "the " + said.replace("× context", "× c").replace("tensor", "t")
    for old, new in _WORDS.items():
        if said.startswith(old):
            return new + said[len(old) :].removesuffix(" × 1")
    return said


def _shown(written: str) -> str:
    return repr(written if len(written) <= _MOST_SHOWN else f"{written[:_MOST_SHOWN]}…")


def _layout(line: str, job: ExamJob, *, own: tuple[str, ...] = ()) -> WrittenLayout:
    if not line:
        raise ValueError("answer must name a layout, such as t=8 p=4 zero=1, got none")
    for word in line.split():
        name, sign, value = word.partition("=")
        if not sign or name in ("recompute", "keep") or not re.fullmatch(r"[a-z_]+", name):
            continue
        if name not in LAYOUT_NAMES:
            allowed = ", ".join((*own, "t, p, v, c, d, e, b, zero or recompute"))
            raise ValueError(f"answer must name {allowed} in this task, got {_shown(name)}")
        least = 0 if name in _STAGE else 1
        if not re.fullmatch(r"\d{1,9}", value) or int(value) < least:
            allowed = f"a whole number of at least {least}, in at most nine digits"
            raise ValueError(f"{name} must be {allowed}, got {_shown(value)}")
    try:
        found = read_layout(line, gpus=job.cluster.gpus)
    except ValueError as error:
        said = str(error)
        unread = re.match(r"written must|recompute must|\S+ must be a whole number", said)
        raise (ValueError if unread else ImpossibleAnswer)(re.sub(r"^written\b", "answer", said)) from None
    if found.keep not in (keeps := allowed_keeps(job.model)):
        allowed = f"{', '.join(keeps[:-1])} or {keeps[-1]}"
        raise ImpossibleAnswer(f"recompute must be {allowed} for this model, got {found.keep!r}")
    return found


def _rented(task: ExamTask, own: dict[str, str]) -> ExamJob:
    """Return the task's job on the nodes that an answer rents."""
    terms = task.deadline
    assert terms is not None
    devices = {name.casefold(): node for name, (node, _) in zip(task.devices, terms.usd_per_gpu_hour, strict=True)}
    if own["device"] not in devices:
        raise ImpossibleAnswer(f"device must be {' or '.join(task.devices)}, got {_shown(own['device'])}")
    if own["nodes"] not in map(str, terms.nodes):
        allowed = ", ".join(map(str, terms.nodes))
        raise ImpossibleAnswer(f"nodes must be one of {allowed}, got {_shown(own['nodes'])}")
    job = task.job
    node = NODES.name_of(devices[own["device"]])
    return ExamJob(job.model_name, node, int(own["nodes"]), job.sequence, job.batch_sequences)


def _time(name: str, written: str, *, plain: bool) -> float:
    """Return seconds; a number without a unit is seconds where ``plain``, and else refused."""
    found = _TIME.fullmatch(written)
    unit = found[2] if found else ""
    if not found or (unit and unit not in _UNITS_S) or (not unit and not plain) or float(found[1]) == 0:
        example = "12.5s" if plain else "45min"
        unit_said = (
            "seconds, or a number with s, min or h behind it" if plain else "a number with s, min or h behind it"
        )
        raise ValueError(
            f"{name} must be {unit_said}, above 0 and in plain digits, such as {example}, got {_shown(written)}"
        )
    return float(found[1]) * _UNITS_S[unit or "s"]
