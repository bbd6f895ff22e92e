"""Formulas: the final exam's five tasks, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from snippets.composition.configuration_search.written_layouts import read_layout
from snippets.domain import Answers, at_most, of_kind
from snippets.models import parameter_count
from snippets.synthesis.conclusion.exam_layouts import ExamJob, exam_plan
from snippets.synthesis.conclusion.exam_sheet import Row, sheet_rows
from snippets.synthesis.conclusion.exam_tables import (
    EXPERTS_JOBS,
    FIT_JOBS,
    LONG_JOBS,
    RENTS,
    REPAIRS,
    Family,
    Rent,
)

KINDS = ("fit", "long", "experts", "deadline", "repair")
INVARIANTS = ("memory", "compute", "communication")
MOST_SEED = 10**9
TASK_POINTS, PASS_POINTS = 20, 80
NEAR = 0.10  # above the best by at most this, an answer has all points
PREDICTED_WITHIN = 0.15
_MEMORY = ("weights", "gradients", "optimizer", "activations", "buffers")
_Entry = TypeVar("_Entry")


@dataclass(frozen=True)
class ExamDeadline(Answers):
    """What the task of a deadline gives besides its job.

    Attributes:
        usd_per_gpu_hour: price of an hour of one GPU, by the node's name; the first is the job's own.
        nodes: how many nodes may be rented.
        run_tokens: D, tokens of the run.
        days: for which the nodes are rented, and in which the run has to end.
        node_mtbf_days: mean time between failures of one node.
        restart_s: from a failure until the run goes on.
        storage_bytes_per_s: what the storage takes from all nodes together.

    >>> ExamDeadline((("DGX H100", 2.0),), (4,), 1e12, 30, 80, 1800, 1e10).days
    30
    """

    usd_per_gpu_hour: tuple[tuple[str, float], ...]
    nodes: tuple[int, ...]
    run_tokens: float
    days: float
    node_mtbf_days: float
    restart_s: float
    storage_bytes_per_s: float


@dataclass(frozen=True)
class ExamTask(Answers):
    """One task of the exam.

    Attributes:
        number: its place, from 1 to 5.
        kind: one of ``KINDS``.
        job: what is trained, and on what.
        deadline: of the kind "deadline", what else is given; else ``None``.
        layout: of the kind "repair", the layout to repair, in a line; else empty.

    >>> exam_tasks(1)[0].title
    'Fit and cut'
    """

    number: int
    kind: str
    job: ExamJob
    deadline: ExamDeadline | None = None
    layout: str = ""

    @property
    def title(self) -> str:
        """What the task is called.

        >>> exam_tasks(1)[4].title
        'Repair'
        """
        return _TITLES[self.kind]

    @property
    def statement(self) -> str:
        """What is asked, in words.

        >>> exam_tasks(1)[0].statement.startswith("Cut the run")
        True
        """
        return _STATEMENTS[self.kind]

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        """What is given: names and values.

        >>> exam_tasks(1)[0].given[0][0]
        'model'
        """
        return tuple(_given(self))

    @property
    def sheet(self) -> tuple[Row, ...]:
        """What the planner takes for granted of this model and these devices.

        >>> exam_tasks(1)[0].sheet[0][0]
        'sizes'
        """
        nodes = [name for name, _ in self.deadline.usd_per_gpu_hour] if self.deadline else [self.job.node_name]
        return sheet_rows(self.job, nodes)

    @property
    def limits(self) -> str:
        """What an answer has to keep to, in a sentence or two.

        >>> "tenth" in exam_tasks(1)[0].limits
        True
        """
        return _LIMITS[self.kind]

    @property
    def returns(self) -> str:
        """What an answer names.

        >>> exam_tasks(1)[0].returns
        'a layout: t, p, v, c, b, zero and recompute; a size left out is 1, zero 1, and recompute none'
        """
        return _RETURNS[self.kind]

    @property
    def form(self) -> str:
        """The form of an answer, with sizes that cannot run.

        >>> exam_tasks(1)[4].form
        'binds=memory t=3 p=5 zero=1 recompute=full step=999s'
        """
        form = _FORMS[self.kind]
        return f"device={self.devices[0]} nodes={self.deadline.nodes[0]} {form}" if self.deadline else form

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of a deadline, as an answer names them.

        >>> exam_tasks(1)[3].devices[0] in exam_tasks(1)[3].given[1][1]
        True
        """
        return tuple(name.split()[-1] for name, _ in self.deadline.usd_per_gpu_hour) if self.deadline else ()


_TITLES = {
    "fit": "Fit and cut",
    "long": "A long context",
    "experts": "Experts",
    "deadline": "A deadline and a price",
    "repair": "Repair",
}
_STATEMENTS = {
    "fit": "Cut the run so that it fits, and so that a step is as short as you can make it.",
    "long": "The sequences are long and few. Cut the run so that it fits, and so that a step is as short as you can"
    " make"
    " it.",
    "experts": "The model has experts. Decide where they go, and how the rest is cut, so that the run fits and a"
    " step is"
    " as short as you can make it.",
    "deadline": "Rent one kind of node for the whole term, and lay the run out on what you rent. You pay for every"
    " hour of"
    " the term, whether the GPUs work or not. Nodes fail, and each failure takes the run back to its last checkpoint,"
    " which stops the run while it's written. Rent as cheaply as you can, and end in time.",
    "repair": "Somebody runs this layout, and it's wrong. Say which of the three invariants holds it up, change one"
    " thing,"
    " and predict the step that comes out.",
}
_LIMITS = {
    "fit": "A tenth of each GPU's memory stays free. The model is trained in bf16 by Adam with 16 bytes of state for a"
    " parameter.",
    "deadline": "A tenth of each GPU's memory stays free. The state is that of bf16 and Adam, 16 bytes for a"
    " parameter. A"
    " checkpoint holds weights and optimizer state, 14 bytes for a"
    " parameter. All nodes have eight GPUs.",
    "repair": "One change: another value for one of t, p, v, c, e, b, zero or recompute. d takes what is left of the"
    " GPUs."
    " A tenth of each GPU's memory stays free. The binding invariant is memory if the layout doesn't fit. Otherwise"
    " it's"
    " compute if more of the step goes to the bubble and to what is computed again, and communication if more goes to"
    " what is sent and not hidden.",
}
_LIMITS |= {"long": _LIMITS["fit"], "experts": _LIMITS["fit"]}
_RETURNS = {
    "fit": "a layout: t, p, v, c, b, zero and recompute; a size left out is 1, zero 1, and recompute none",
    "long": "a layout, its context axis c included",
    "experts": "a layout, its expert axis e included",
    "deadline": "device, nodes, a layout, and the interval between two checkpoints",
    "repair": "binds=memory, compute or communication; the whole changed layout; the seconds of its step",
}
_FORMS = {  # whose sizes divide no cluster of the exam: a form is no answer
    "fit": "t=3 p=5 b=1 zero=1 recompute=full",
    "long": "t=3 p=5 c=7 zero=1 recompute=full",
    "experts": "t=3 p=5 e=7 zero=1 recompute=full",
    "deadline": "t=3 p=5 zero=1 recompute=full interval=1min",
    "repair": "binds=memory t=3 p=5 zero=1 recompute=full step=999s",
}


def exam_tasks(seed: int) -> tuple[ExamTask, ...]:
    """Return the five tasks of a seed.

    Args:
        seed: at least 0 and at most 1,000,000,000.

    Returns:
        One task of each kind, in the order of ``KINDS``; the same seed has the same tasks on every Python.

    Source: a convention of this book.
    Convention: no two of the first three tasks train the same model.
    Leaves out: nothing.

    Example:
        >>> [task.kind for task in exam_tasks(7)]
        ['fit', 'long', 'experts', 'deadline', 'repair']
        >>> exam_tasks(7) == exam_tasks(7)
        True
    """
    rng = random.Random(at_most("seed", seed, MOST_SEED))
    fit = _drawn_job(rng, FIT_JOBS)
    long = _drawn_job(rng, [family for family in LONG_JOBS if family[0] != fit.model_name])
    experts = _drawn_job(rng, EXPERTS_JOBS)
    job, terms = _rent(_one(rng, RENTS))
    kind = _one(rng, INVARIANTS)
    repaired, layout = _one(rng, [(ExamJob(*sizes), line) for binds, sizes, line in REPAIRS if binds == kind])
    return (
        ExamTask(1, "fit", fit),
        ExamTask(2, "long", long),
        ExamTask(3, "experts", experts),
        ExamTask(4, "deadline", job, deadline=terms),
        ExamTask(5, "repair", repaired, layout=layout),
    )


def _one(rng: random.Random, entries: Sequence[_Entry]) -> _Entry:
    """Return one entry: by ``random`` alone, whose numbers no version of Python changes."""
    return entries[int(rng.random() * len(entries))]


def _drawn_job(rng: random.Random, families: Sequence[Family]) -> ExamJob:
    model, node, sequence, sizes = _one(rng, families)
    nodes, batch = _one(rng, sizes)
    return ExamJob(model, node, nodes, sequence, batch)


def _rent(row: Rent) -> tuple[ExamJob, ExamDeadline]:
    """Return the job of a rent, on its own node in the middle number, and what else it gives."""
    model, sequence, batch, prices, nodes, *rest = row
    job = ExamJob(model, prices[0][0], nodes[len(nodes) // 2], sequence, batch)
    return job, ExamDeadline(prices, nodes, *rest)


def all_tasks() -> tuple[ExamTask, ...]:
    """Return every task that a seed can draw, each once, numbered as in an exam.

    Returns:
        Tasks.

    Source: the tables of this module.
    Leaves out: nothing.

    Example:
        >>> {task.kind for task in all_tasks()} == set(KINDS)
        True
    """
    found = []
    for number, families in enumerate((FIT_JOBS, LONG_JOBS, EXPERTS_JOBS), 1):
        found += [
            ExamTask(number, KINDS[number - 1], ExamJob(model, node, nodes, sequence, batch))
            for model, node, sequence, sizes in families
            for nodes, batch in sizes
        ]
    found += [ExamTask(4, "deadline", job, deadline=terms) for job, terms in map(_rent, RENTS)]
    found += [ExamTask(5, "repair", ExamJob(*sizes), layout=layout) for _, sizes, layout in REPAIRS]
    return tuple(found)


def _given(task: ExamTask) -> list[tuple[str, str]]:
    """Return what a task gives, as a table has it."""
    job = task.job
    of_kind("job", job, ExamJob)
    model, accelerator = job.model, job.cluster.machine.accelerator
    experts = ""
    if model.experts is not None:
        experts = f", {model.experts.experts} experts a layer of which a token visits {model.experts.per_token}"
    kept = getattr(model.attention, "key_value_heads", 0)
    heads = f"{model.attention.heads} heads" + (f" and {kept} of keys" if kept else "")
    sizes = f"{parameter_count(model) / 1e9:.1f} billion parameters, {model.layers} layers, {heads}{experts}"
    found = [("model", f"{job.model_name}: {sizes}")]
    if task.deadline is None:
        fast, gpus = job.cluster.fast_gpus, job.cluster.gpus
        nodes = f"{job.nodes} {job.node_name}, {fast} {accelerator.name} of each joined by fast links: {gpus} GPUs"
        memory = f"{accelerator.memory_bytes / 1e9:.0f} GB a GPU, of which {job.limit_bytes / 1e9:.1f} GB may be filled"
        found += [("cluster", nodes), ("memory", memory)]
    else:
        found.append(("nodes to rent", _offers(task)))
    tokens = f"{job.batch_sequences:,} sequences of {job.sequence:,} tokens"
    found.append(("a step", tokens))
    if task.deadline is not None:
        terms = task.deadline
        found += [
            ("the run", f"{terms.run_tokens / 1e12:g} trillion tokens"),
            ("term", f"{terms.days:g} days"),
            ("failures", f"a node fails every {terms.node_mtbf_days:g} days on average; a restart takes"
             f" {terms.restart_s / 60:g} minutes"),
            ("storage", f"{terms.storage_bytes_per_s / 1e9:g} GB/s from all nodes together"),
        ]  # fmt: skip
    if task.layout:
        found += _budget(task)
    return found


def _offers(task: ExamTask) -> str:
    terms = task.deadline
    assert terms is not None
    counts = ", ".join(map(str, terms.nodes[:-1])) + f" or {terms.nodes[-1]}"
    prices = " or ".join(
        f"{name} ({usd:g} dollars an hour for each GPU)"
        for name, (_, usd) in zip(task.devices, terms.usd_per_gpu_hour, strict=True)
    )
    return f"{counts} nodes with {prices}; the prices are made up for this task"


def _budget(task: ExamTask) -> list[tuple[str, str]]:
    """Return the predicted step and memory of the layout that is to be repaired."""
    layout, keep = read_layout(task.layout, gpus=task.job.cluster.gpus)
    found = exam_plan(task.job, layout, keep=keep)
    again = found.step.compute - exam_plan(task.job, layout, keep="none").step.compute
    terms = {"computing": found.step.compute - again, "computed again": again}
    terms |= {name: seconds for name, seconds in found.step.terms.items() if name != "compute"}
    said = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in terms.items() if seconds >= 0.005)
    held = {name: getattr(found.memory, name) / 1e9 for name in _MEMORY}
    memory = ", ".join(f"{name} {size:.1f} GB" for name, size in held.items() if size >= 0.05)
    return [
        ("layout", task.layout),
        ("its step", f"{found.total_s:.2f} s: {said}"),
        ("its fullest GPU", f"{found.memory.total / 1e9:.1f} GB: {memory}"),
    ]
