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

KINDS = ("fit", "long", "experts", "deadline", "repair")
INVARIANTS = ("memory", "compute", "communication")
MOST_SEED = 10**9
TASK_POINTS, PASS_POINTS = 20, 80
NEAR = 0.10  # above the best by at most this, an answer has all points
PREDICTED_WITHIN = 0.15
LAYOUT_FORM = "t=8 p=4 b=1 zero=1 recompute=full"
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
        'a layout: t, p, v, c, b, zero and recompute, as far as they are not 1, 1 and none'
        """
        return _RETURNS[self.kind]

    @property
    def form(self) -> str:
        """An answer of the right form, which need not be a good one.

        >>> exam_tasks(1)[4].form
        'binds=memory t=8 p=4 zero=1 recompute=full step=12.5s'
        """
        return _FORMS[self.kind] if self.deadline is None else f"device={self.devices[0]} {_FORMS[self.kind]}"

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
    "fit": "a layout: t, p, v, c, b, zero and recompute, as far as they are not 1, 1 and none",
    "long": "a layout, its context axis c included",
    "experts": "a layout, its expert axis e included",
    "deadline": "device, nodes, a layout, and the interval between two checkpoints",
    "repair": "binds=memory, compute or communication; the whole changed layout; the seconds of its step",
}
_FORMS = {
    "fit": LAYOUT_FORM,
    "long": "t=4 p=4 c=8 zero=1 recompute=full",
    "experts": "t=2 p=4 e=8 zero=1 recompute=full",
    "deadline": "nodes=32 t=8 p=4 zero=1 recompute=some interval=60min",
    "repair": "binds=memory t=8 p=4 zero=1 recompute=full step=12.5s",
}

# Model, node, how many nodes there may be, tokens of a sequence, how many sequences a step may have.
_Family = tuple[str, str, tuple[int, ...], int, tuple[int, ...]]
_FIT: tuple[_Family, ...] = (
    ("Llama 3 70B", "DGX H100", (16, 32, 64), 8192, (512, 1024)),
    ("Llama 3 405B", "DGX H100", (64, 128), 8192, (1024, 2048)),
    ("Qwen3 32B", "DGX H100", (8, 16), 4096, (512, 1024)),
    ("OLMo 2 13B", "DGX A100", (4, 8), 4096, (512, 1024)),
    ("LLaMA 65B", "DGX A100", (16, 32), 2048, (1024, 2048)),
    ("GPT-3 175B", "DGX A100", (48, 96), 2048, (1536,)),
)
_LONG: tuple[_Family, ...] = (
    ("Llama 3 8B", "DGX H100", (8, 16), 131072, (32, 64)),
    ("Llama 3 70B", "DGX H100", (32, 64), 65536, (32, 64)),
    ("Llama 3 70B", "DGX H100", (32, 64), 131072, (32,)),
    ("Qwen3 32B", "DGX H100", (16, 32), 32768, (64, 128)),
    ("Mistral Small 24B", "DGX H100", (8, 16), 32768, (32, 64)),
    ("Llama 3 8B", "DGX A100", (4, 8), 65536, (16, 32)),
)
_EXPERTS: tuple[_Family, ...] = (
    ("Mixtral 8x7B", "DGX H100", (4, 8), 8192, (256, 512)),
    ("Mixtral 8x22B", "DGX H100", (16, 32), 8192, (512, 1024)),
    ("Qwen3 30B-A3B", "DGX H100", (8,), 4096, (1024,)),
    ("DeepSeek-V3", "GB200 NVL72", (4,), 4096, (4096,)),
    ("DeepSeek-V3", "GB200 NVL72", (8,), 4096, (2048, 4096)),
)
_DEADLINES: tuple[tuple[ExamJob, ExamDeadline], ...] = (
    (
        ExamJob("Llama 3 70B", "DGX H100", 64, 8192, 768),
        ExamDeadline((("DGX H100", 2.5), ("DGX B200", 5.8)), (16, 24, 32, 48, 64), 1e12, 45, 60, 3600, 5e9),
    ),
    (
        ExamJob("Llama 3 70B", "DGX H100", 64, 8192, 768),
        ExamDeadline((("DGX H100", 2.5), ("DGX B200", 5.8)), (16, 24, 32, 48, 64), 1e12, 33, 60, 3600, 5e9),
    ),
    (
        ExamJob("Llama 3 8B", "DGX A100", 16, 8192, 384),
        ExamDeadline((("DGX A100", 1.0), ("DGX H100", 2.5)), (4, 6, 8, 12, 16), 1e12, 44.5, 20, 3600, 1e9),
    ),
    (
        ExamJob("Qwen3 32B", "DGX A100", 32, 4096, 1536),
        ExamDeadline((("DGX A100", 1.2), ("DGX H200", 3.8)), (8, 12, 16, 24, 32), 1e12, 57.5, 40, 3600, 2e9),
    ),
    (
        ExamJob("Mistral Small 24B", "DGX H100", 32, 4096, 1536),
        ExamDeadline((("DGX H100", 2.0), ("DGX B200", 4.5)), (8, 12, 16, 24, 32), 2e12, 40.5, 40, 3600, 2e9),
    ),
    (
        ExamJob("Qwen2.5 72B", "DGX H100", 64, 4096, 1536),
        ExamDeadline((("DGX H100", 3.0), ("DGX H200", 3.5)), (16, 24, 32, 48, 64), 1e12, 42, 60, 3600, 5e9),
    ),
    (
        ExamJob("LLaMA 65B", "DGX A100", 96, 2048, 1536),
        ExamDeadline((("DGX A100", 1.2), ("DGX H100", 3.0)), (24, 32, 48, 64, 96), 1.4e12, 75, 60, 3600, 4e9),
    ),
)
_70B, _70B_LONG = (
    ExamJob("Llama 3 70B", "DGX H100", 32, 8192, 512),
    ExamJob("Llama 3 70B", "DGX H100", 32, 65536, 32),
)
_405B, _65B = ExamJob("Llama 3 405B", "DGX H100", 64, 8192, 1024), ExamJob("LLaMA 65B", "DGX A100", 16, 2048, 512)
_32B, _72B = ExamJob("Qwen3 32B", "DGX H100", 16, 4096, 512), ExamJob("Qwen2.5 72B", "DGX A100", 32, 4096, 1024)
_8X22B, _8X7B = (
    ExamJob("Mixtral 8x22B", "DGX H100", 16, 8192, 512),
    ExamJob("Mixtral 8x7B", "DGX H100", 8, 8192, 512),
)
_REPAIRS: tuple[tuple[str, ExamJob, str], ...] = (
    ("memory", _405B, "t=8 p=4 v=4 c=2 d=8 zero=1"),
    ("memory", _70B, "p=2 c=2 d=64 b=4 zero=1 recompute=full"),
    ("memory", _70B_LONG, "t=2 c=4 d=32 zero=1 recompute=full"),
    ("memory", _65B, "p=8 c=2 d=8 b=4 zero=3"),
    ("memory", _72B, "p=2 d=128 zero=3"),
    ("memory", _8X22B, "t=2 p=2 c=8 d=4 e=4 zero=1"),
    ("compute", _405B, "p=8 d=64 zero=3 recompute=some"),
    ("compute", _70B, "t=4 p=2 d=32 zero=1 recompute=full"),
    ("compute", _70B_LONG, "t=8 p=16 c=2 b=4 zero=3 recompute=some"),
    ("compute", _65B, "p=8 c=2 d=8 b=4 zero=3 recompute=full"),
    ("compute", _32B, "p=16 c=2 d=4 b=4 zero=3 recompute=some"),
    ("compute", _8X7B, "t=2 p=2 v=2 d=16 e=8 zero=1 recompute=full"),
    ("communication", _70B, "t=16 p=2 v=4 d=8 zero=3"),
    ("communication", _32B, "t=16 p=2 v=4 d=4 zero=1"),
    ("communication", _405B, "t=8 p=8 v=2 c=2 d=4 zero=3"),
    ("communication", _8X22B, "t=4 p=8 d=4 zero=3"),
    ("communication", _8X22B, "t=2 p=8 c=8 e=8 b=4 zero=3"),
    ("communication", ExamJob("Llama 3 8B", "DGX H100", 8, 8192, 256), "t=8 p=4 v=2 c=2 b=2 zero=3"),
)


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
    fit = _drawn_job(rng, _FIT)
    long = _drawn_job(rng, [family for family in _LONG if family[0] != fit.model_name])
    experts = _drawn_job(rng, _EXPERTS)
    job, terms = _one(rng, _DEADLINES)
    kind = _one(rng, INVARIANTS)
    repaired, layout = _one(rng, [(job, line) for binds, job, line in _REPAIRS if binds == kind])
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


def _drawn_job(rng: random.Random, families: Sequence[_Family]) -> ExamJob:
    model, node, nodes, sequence, batches = _one(rng, families)
    return ExamJob(model, node, _one(rng, nodes), sequence, _one(rng, batches))


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
    for number, families in enumerate((_FIT, _LONG, _EXPERTS), 1):
        found += [
            ExamTask(number, KINDS[number - 1], ExamJob(model, node, count, sequence, batch))
            for model, node, nodes, sequence, batches in families
            for count in nodes
            for batch in batches
        ]
    found += [ExamTask(4, "deadline", job, deadline=terms) for job, terms in _DEADLINES]
    found += [ExamTask(5, "repair", job, layout=layout) for _, job, layout in _REPAIRS]
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
