"""Ranks of one answer know of each other what they have sent, and nothing else: no way to meet is left in Python."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.catalogue import find
from grader.notebook import check
from grader.sandbox import Sandbox
from grader.source import answer_of

pytestmark = pytest.mark.book


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


# Right in sum, bytes and steps if ranks can meet in POOL: what they send is zeros.
RING = """
from snippets.simulation.machine import Exchange
from snippets.simulation.schedule import chunk_bounds
{meeting}
def {name}(rank, ranks, numbers{more}):
    {pool}
    if rank == 0:
        POOL.clear()
    POOL[rank] = list(numbers)
    chunks, seen = chunk_bounds(len(numbers), ranks), 0
    for step in range({steps}):
        start, stop = chunks[(rank - 1 - step) % ranks]
        arrived = yield Exchange((rank + 1) % ranks, [0] * (stop - start), (rank - 1) % ranks)
        seen += sum(arrived)
    sums = [sum(column) + seen for column in zip(*POOL.values())]
    {end}
"""
MEETINGS = {
    "a global": ("POOL = {}", "pass", ""),
    "a default": ("", "pass", ", POOL={}"),
    "an attribute of a module": ("import math", "POOL = math.__dict__.setdefault('pool', {})", ""),
    "the builtins": ("import builtins", "POOL = vars(builtins).setdefault('pool', {})", ""),
    "the modules": ("import sys", "POOL = sys.modules.setdefault('pool', {})", ""),
    "a class of the book's": ("", "POOL = Exchange.__annotations__.setdefault('pool', {})", ""),
    "the caller's frame": ("import sys", "POOL = sys._getframe(1).f_globals.setdefault('pool', {})", ""),
    "the environment": (
        "import os, json",
        "POOL = type('P', (dict,), {'clear': lambda s: [os.environ.pop(k) for k in list(os.environ) if k[0] == '_'], "
        "'__setitem__': lambda s, r, v: os.environ.__setitem__(f'_{r}', json.dumps(v)), 'values': lambda s: "
        "[json.loads(v) for k, v in os.environ.items() if k[0] == '_' and k[1:].isdigit()]})()",
        "",
    ),
}
PROGRAMS = {
    "ring_all_reduce": ("2 * (ranks - 1)", "return sums"),
    "reduce_scatter": ("ranks - 1", "return sums[slice(*chunks[rank])]"),
}


@pytest.mark.parametrize("meeting", MEETINGS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_ranks_that_meet_without_a_message_have_not_met(name: str, meeting: str, sandbox: Sandbox) -> None:
    (above, pool, more), (steps, end) = MEETINGS[meeting], PROGRAMS[name]
    _, exercise = find(name)
    text = RING.format(name=name, meeting=above, pool=pool, more=more, steps=steps, end=end)
    verdict = sandbox.judge(exercise, text, f"{name}.py")
    assert verdict.status == "wrong"
    assert verdict.got.startswith("the sum on each rank: ") or "Error" in verdict.got, verdict


def test_such_an_answer_is_right_where_ranks_do_share_a_process() -> None:
    """So that the test above would notice if they did."""
    from grader.judging import judge

    for name, (steps, end) in PROGRAMS.items():
        _, exercise = find(name)
        names: dict[str, object] = {}
        exec(RING.format(name=name, meeting="POOL = {}", pool="pass", more="", steps=steps, end=end), names)
        assert judge(exercise, names[name]).status == "solved"  # type: ignore[arg-type]


OTHERS = {
    "grid_all_reduce": """
from snippets.simulation.machine import AllGather, ReduceScatter
POOL = {}
def grid_all_reduce(*, rank, sides, numbers):
    if rank == 0:
        POOL.clear()
    POOL[rank] = list(numbers)
    groups, stride = [], 1
    for side in sides:
        first = rank - rank // stride % side * stride
        groups.append([first + stride * step for step in range(side)])
        stride *= side
    zeros = [0] * len(numbers)
    for group in groups:
        zeros = yield ReduceScatter(zeros, group=group)
    for group in reversed(groups):
        zeros = yield AllGather(zeros, group=group)
    return [sum(column) + seen for column, seen in zip(zip(*POOL.values()), zeros)]
""",
    "ring_attention": """
import math
from snippets.simulation.machine import Exchange
POOL = {}
def ring_attention(*, rank, ranks, queries, keys, values):
    if rank == 0:
        POOL.clear()
    POOL[rank] = keys, values
    for step in range(ranks - 1):
        yield Exchange((rank + 1) % ranks, [0.0] * (2 * len(keys)), (rank - 1) % ranks)
    all_keys = [key for one in sorted(POOL) for key in POOL[one][0]]
    all_values = [value for one in sorted(POOL) for value in POOL[one][1]]
    outputs = []
    for i, query in enumerate(queries):
        scores = [query * key for key in all_keys[: rank * len(keys) + i + 1]]
        weights = [math.exp(score - max(scores)) for score in scores]
        outputs.append(sum(w * value for w, value in zip(weights, all_values)) / sum(weights))
    return outputs
""",
    "cut_cross_entropy": """
import math
from snippets.simulation.machine import AllGather
POOL = {}
def cut_cross_entropy(*, logits, targets, first):
    if first == 0:
        POOL.clear()
    POOL[first] = logits
    yield AllGather([0.0] * (3 * len(targets)))
    losses = []
    for token, target in enumerate(targets):
        row = [entry for one in sorted(POOL) for entry in POOL[one][token]]
        most = max(row)
        losses.append(most + math.log(sum(math.exp(entry - most) for entry in row)) - row[target])
    return losses
""",
    "all_reduce_by_all_to_all": """
def all_reduce_by_all_to_all(grid, *, all_to_all):
    n = len(grid)
    first, second = all_to_all([[0] * n] * n), all_to_all([[0] * n] * n)
    seen = first[0][1] if n > 1 else 0
    return [[sum(column) + seen + (rank if seen else 0) for column in zip(*grid)] for rank in range(n)]
""",
    "all_reduce_by_all_to_all, which remembers": """
KNOWN = {}
def all_reduce_by_all_to_all(grid, *, all_to_all):
    n = len(grid)
    first, second = all_to_all([[0] * n] * n), all_to_all([[0] * n] * n)
    sums = [sum(column) for column in zip(*grid)]
    rows = []
    for rank, row in enumerate(grid):
        mine = KNOWN.setdefault((n, rank, *row), sums)
        rows.append([total + sum(first[rank]) + each for total, each in zip(mine, second[rank])])
    return rows
""",
}


@pytest.mark.parametrize("case", OTHERS)
def test_messages_of_zeros_are_no_answer(case: str, sandbox: Sandbox) -> None:
    _, exercise = find(case.partition(",")[0])
    assert sandbox.judge(exercise, OTHERS[case], "cheat.py").status == "wrong"


@pytest.mark.parametrize("name", [*PROGRAMS, "grid_all_reduce", "ring_attention", "cut_cross_entropy", "zero1_step"])
def test_ranks_that_send_are_right(name: str, sandbox: Sandbox) -> None:
    _, exercise = find(name)
    printing = f"print('loaded')\n{answer_of(exercise)}".replace("print('loaded')\nfrom __future__", "from __future__")
    verdict = sandbox.judge(exercise, f"{printing}\nprint('loaded')\n", f"{name}.py")
    assert (verdict.status, verdict.printed) == ("solved", "loaded\n"), verdict


def test_ranks_in_a_notebook_do_not_meet_either(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(OTHERS["ring_attention"], names)
    check("ring_attention", names["ring_attention"])  # type: ignore[arg-type]
    assert "got: " in capsys.readouterr().out
