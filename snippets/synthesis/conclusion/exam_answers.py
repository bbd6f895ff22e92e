"""Formulas: an answer to a task of the exam, read from one line of text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from snippets.composition.configuration_search.written_layouts import WrittenLayout, read_layout
from snippets.domain import Answers, named, of_kind, text
from snippets.hardware import NODES
from snippets.synthesis.conclusion.exam_layouts import ExamJob
from snippets.synthesis.conclusion.exam_tasks import INVARIANTS, ExamTask

MOST_CHARACTERS = 300
_UNITS_S = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "min": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0}
_OWN = {"deadline": ("device", "nodes", "interval"), "repair": ("binds", "step")}
_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,20})?)([a-z]*)")


@dataclass(frozen=True)
class ExamAnswer(Answers):
    """An answer, read.

    Attributes:
        job: the task's job, on the nodes that the answer rents.
        written: its layout, and what the layers make again.
        interval_s: between two checkpoints, where the task asks for one; else 0.
        binds: the invariant that binds, where the task asks for one; else empty.
        step_s: the step that is predicted, where the task asks for one; else 0.

    >>> from snippets.synthesis.conclusion.exam_tasks import exam_tasks
    >>> read_answer(exam_tasks(1)[0], "t=8 p=4").written.layout.tensor
    8
    """

    job: ExamJob
    written: WrittenLayout
    interval_s: float = 0.0
    binds: str = ""
    step_s: float = 0.0


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
        ValueError: if something is missing, stands twice, or is not what the task allows.

    Source: ``read_layout``; ``device``, ``nodes``, ``interval``, ``binds`` and ``step`` are the exam's own.
    Convention: what a layout doesn't name is 1, but for d, which takes the GPUs that are left.
    Leaves out: whether it is a good answer.

    Example:
        >>> from snippets.synthesis.conclusion.exam_tasks import exam_tasks
        >>> read_answer(exam_tasks(1)[4], "binds=compute t=8 step=2.5s").step_s
        2.5
    """
    of_kind("task", task, ExamTask)
    line = one_line(answer).casefold()
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
    missing = [name for name in _OWN.get(task.kind, ()) if name not in own]
    if missing:
        raise ValueError(f"answer must name {' and '.join(missing)}, as in {task.form}, got none")
    job = _rented(task, own) if task.kind == "deadline" else task.job
    written = _layout(" ".join(filter(None, rest)), job)
    if task.kind == "deadline":
        return ExamAnswer(job, written, interval_s=_time("interval", own["interval"], plain=False))
    if task.kind == "repair":
        binds = named("binds", own["binds"], INVARIANTS)
        return ExamAnswer(job, written, binds=binds, step_s=_time("step", own["step"], plain=True))
    return ExamAnswer(job, written)


def _layout(line: str, job: ExamJob) -> WrittenLayout:
    if not line:
        raise ValueError("answer must name a layout, such as t=8 p=4 zero=1, got none")
    try:
        found = read_layout(line, gpus=job.cluster.gpus)
    except ValueError as error:
        raise ValueError(re.sub(r"^written\b", "answer", str(error))) from None
    block = job.model.feed_forward
    if found.keep == "some" and (job.model.experts is not None or block is None or not block.gated):
        raise ValueError("recompute must be none, selective or full for a model without one gated block, got 'some'")
    return found


def _rented(task: ExamTask, own: dict[str, str]) -> ExamJob:
    """Return the task's job on the nodes that an answer rents."""
    terms = task.deadline
    assert terms is not None
    devices = {name.casefold(): node for name, (node, _) in zip(task.devices, terms.usd_per_gpu_hour, strict=True)}
    if own["device"] not in devices:
        raise ValueError(f"device must be {' or '.join(task.devices)}, got {own['device'][:20]!r}")
    if own["nodes"] not in map(str, terms.nodes):
        raise ValueError(f"nodes must be one of {', '.join(map(str, terms.nodes))}, got {own['nodes'][:20]!r}")
    job = task.job
    node = NODES.name_of(devices[own["device"]])
    return ExamJob(job.model_name, node, int(own["nodes"]), job.sequence, job.batch_sequences)


def _time(name: str, written: str, *, plain: bool) -> float:
    """Return seconds; a number without a unit is seconds where ``plain``, and else refused."""
    found = _TIME.fullmatch(written)
    unit = found[2] if found else ""
    if not found or (unit and unit not in _UNITS_S) or (not unit and not plain) or float(found[1]) == 0:
        raise ValueError(
            f"{name} must be a time above 0 with s, min or h behind it, such as 45min, got {written[:20]!r}"
        )
    return float(found[1]) * _UNITS_S[unit or "s"]
