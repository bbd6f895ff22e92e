"""Chapter 25: mesh, groups, links, redistributions and placed matmuls against NumPy and the simulated machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snippets.collectives.topology.programs import grid_groups
from snippets.composition.device_mesh import formulas as mesh
from snippets.composition.device_mesh import programs

SIDES = st.lists(st.integers(1, 4), min_size=1, max_size=4)
ENTRIES = ("R", "P", "S(0)", "S(1)")


@given(SIDES, st.data())
def test_ranks_and_coordinates_are_numpys_rows(sides: list[int], data: st.DataObject) -> None:
    table = np.arange(math.prod(sides)).reshape(sides)
    place = tuple(data.draw(st.integers(0, side - 1)) for side in sides)
    rank = int(table[place])
    assert mesh.mesh_rank(place, sides=sides) == rank
    assert mesh.mesh_coordinates(rank, sides=sides) == place
    for axis, side in enumerate(sides):
        steps = np.diff(table, axis=axis)  # along a side of 1 there are none
        assert side == 1 or (steps == mesh.mesh_stride(axis, sides=sides)).all()
    assert mesh.mesh_stride(0, sides=[1, *sides]) == table.size


@given(SIDES, st.data())
def test_groups_are_cosets(sides: list[int], data: st.DataObject) -> None:
    axes = data.draw(st.lists(st.integers(0, len(sides) - 1), unique=True))
    ranks = range(math.prod(sides))
    groups = {mesh.mesh_group(rank, sides=sides, axes=axes) for rank in ranks}
    assert sorted(rank for group in groups for rank in group) == list(ranks)
    assert {len(group) for group in groups} == {math.prod(sides[axis] for axis in axes)}
    first = mesh.mesh_group(0, sides=sides, axes=axes)
    for group in groups:  # each is the first one, moved: the definition of a coset
        assert tuple(rank - group[0] for rank in group) == first
    index = tuple(slice(None) if axis in axes else 0 for axis in range(len(sides)))
    assert sorted(np.arange(len(ranks)).reshape(sides)[index].ravel().tolist()) == list(first)


@given(SIDES, st.data())
def test_groups_of_one_axis_are_chapter_15s(sides: list[int], data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, math.prod(sides) - 1))
    found = [list(mesh.mesh_group(rank, sides=sides, axes=[axis])) for axis in range(len(sides))]
    assert found[::-1] == grid_groups(rank, sides[::-1])


@given(st.lists(st.sampled_from([1, 2, 4]), min_size=1, max_size=4), st.sampled_from([1, 2, 4, 8]), st.data())
def test_the_share_that_leaves_is_what_rings_send_across(sides: list[int], domain: int, data: st.DataObject) -> None:
    assume(math.prod(sides) <= 64 and math.prod(sides) % domain == 0)
    axes = data.draw(st.lists(st.integers(0, len(sides) - 1), unique=True, min_size=1))
    inside = mesh.group_ranks_in_domain(sides=sides, axes=axes, domain=domain)
    ranks = math.prod(sides[axis] for axis in axes)
    for rank in range(math.prod(sides)):
        group = mesh.mesh_group(rank, sides=sides, axes=axes)
        assert sum(other // domain == rank // domain for other in group) == inside
    account = programs.run_mesh_all_reduces(sides=sides, axes=axes, length=ranks)
    left = programs.leaving_bytes(account, domain=domain)
    assert left == pytest.approx(sum(account.sent_bytes) * mesh.group_leaving_share(ranks=ranks, in_domain=inside))


def test_axes_are_those_of_the_mesh_and_its_ranks_can_be_listed() -> None:
    with pytest.raises(ValueError, match=r"^axes must be different ones from 0 to 2, got \(3,\)$"):
        mesh.mesh_group(0, sides=[2, 2, 2], axes=[3])
    with pytest.raises(ValueError, match=r"^the product of sides must be at most \d+, got 1099511627776$"):
        mesh.mesh_group(0, sides=[2] * 40, axes=[0])


def test_a_domain_must_nest() -> None:
    with pytest.raises(ValueError, match=r"^domain must end where rows of the mesh \[8, 8\] do, got 72$"):
        mesh.group_ranks_in_domain(sides=[8, 8], axes=[1], domain=72)
    assert mesh.group_ranks_in_domain(sides=[8, 9, 8], axes=[1], domain=72) == 9


@given(st.sampled_from([[2], [3], [2, 2], [2, 3], [3, 2]]), st.data())
def test_every_plan_moves_the_tensor_and_sends_what_it_says(sides: list[int], data: st.DataObject) -> None:
    shape = [12, 36]
    source = data.draw(st.lists(st.sampled_from(ENTRIES), min_size=len(sides), max_size=len(sides)))
    goals = [[*{"R", "S(0)", "S(1)", entry}] for entry in source]
    target = [data.draw(st.sampled_from(sorted(entries))) for entries in goals]
    target = ["R" if new == "P" != old else new for new, old in zip(target, source, strict=True)]
    # a partial sum under an inner shard that changes is all the same a sum: what stays partial stays partial
    whole = np.random.default_rng(25).normal(size=shape)
    held = programs.place(whole, source, sides=sides)
    done = programs.redistribute(held, source, target, sides=sides, shape=shape)
    if "P" not in target:
        wanted = programs.place(whole, target, sides=sides)
        assert all(np.allclose(mine, right) for mine, right in zip(done.pieces, wanted, strict=True))
    ranks = math.prod(sides)
    assert sum(done.account.sent_bytes) == pytest.approx(ranks * sum(move.sent_bytes for move in done.plan))


def test_the_planner_is_no_dearer_than_gathering_everything() -> None:
    sides, shape, size = [2, 3], [12, 36], 12 * 36 * 8
    for source, target in product(product(ENTRIES, repeat=2), product(("R", "S(0)", "S(1)"), repeat=2)):
        plan = programs.plan_redistribution(source, target, sides=sides, shape=shape)
        everything = 0.0
        for entry, side in zip(source, sides, strict=True):
            everything += mesh.redistribution_bytes(entry, "R", ranks=side, size_bytes=size)
        assert sum(move.sent_bytes for move in plan) <= everything + 1e-9


@given(st.integers(1, 6), st.integers(0, 99))
def test_one_axis_redistributions_are_what_ranks_send(ranks: int, seed: int) -> None:
    shape = [ranks * 2, ranks * 3]
    whole = np.random.default_rng(seed).normal(size=shape)
    for source, target in product(ENTRIES, ("R", "S(0)", "S(1)")):
        held = programs.place(whole, [source], sides=[ranks])
        done = programs.redistribute(held, [source], [target], sides=[ranks], shape=shape)
        sent = mesh.redistribution_bytes(source, target, ranks=ranks, size_bytes=whole.nbytes)
        assert sum(done.account.sent_bytes) == pytest.approx(ranks * sent)
        assert np.allclose(programs.joined(done.pieces, target), whole)


@pytest.mark.parametrize(("left", "right"), list(product(ENTRIES, repeat=2)))
def test_matmuls_are_placed_as_the_rules_say(left: str, right: str) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(6, 12)), rng.normal(size=(12, 18))
    placed = mesh.matmul_placement(left, right)
    if placed is not None:
        parts = programs.run_placed_matmul(x, w, left=left, right=right, ranks=3)
        assert np.allclose(programs.joined(parts, placed), x @ w)
        return
    pieces = zip(programs.place(x, [left], sides=[3]), programs.place(w, [right], sides=[3]), strict=True)
    try:
        parts = [mine @ weights for mine, weights in pieces]
    except ValueError:
        return  # the pieces do not even fit
    for entry in ENTRIES:
        try:
            found = programs.joined(parts, entry)
        except ValueError:
            continue
        assert found.shape != (6, 18) or not np.allclose(found, x @ w)


def sent(**changed: Any) -> mesh.MeshTraffic:
    cut: dict[str, Any] = {"tensor_parallel": 8, "context_parallel": 2, "data_parallel": 8, "pipeline_parallel": 4}
    return mesh.mesh_step_traffic_bytes("Llama 3 70B", **{**cut, "sequence": 32_768, "batch_sequences": 128, **changed})


def test_the_traffic_of_the_question_by_hand() -> None:
    h, layers, micro_batches, tokens = 8192, 80 // 4, 128 // 8, 32_768 // 2
    halves = 8 * micro_batches * layers * tokens * h * 2  # a layer has eight halves of an all-reduce, in 2 bytes
    assert sent().tensor == pytest.approx(7 / 8 * halves)
    keys = 2 * 32_768 * 128 * 2  # one key-value head of 128 a rank, keys and values
    assert sent().context == pytest.approx(3 * micro_batches * layers * keys / 2)
    assert sent().data == pytest.approx(2 * 15 / 16 * 2 * 70_553_706_496 / 32)
    assert sent().pipeline == 2 * micro_batches * tokens * h * 2 // 8
    assert sent(pipeline_parallel=1).pipeline == 0
    assert sent(context_parallel=1).context == 0
    assert sent().total == sum(sent())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"data_parallel": 3}, "batch_sequences must be a multiple of data_parallel = 3, got 128"),
        ({"sequence": 24}, "sequence must be a multiple of context_parallel × tensor_parallel = 16, got 24"),
        ({"pipeline_parallel": 3}, "model.layers must be a multiple of pipeline_parallel = 3, got 80"),
    ],
)
def test_what_does_not_divide_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sent(**changed)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: programs.redistribute([[1.0], [2.0, 3.0]], ["P"], ["R"], sides=[2], shape=[2]),
            r"^pieces\[0\] must have",
        ),
        (lambda: programs.joined([[1.0], [2.0, 3.0]], "P"), r"^pieces must have one shape, got \(1,\), \(2,\)$"),
        (
            lambda: programs.run_placed_matmul(np.ones((2, 3)), np.ones((2, 2)), left="R", right="R", ranks=2),
            r"^x must have as many columns as w has rows",
        ),
        (
            lambda: programs.run_placed_matmul(np.ones((2, 3)), np.ones((3, 2)), left="S(0)", right="R", ranks=4),
            r"^left must cut x, \[2, 3\], evenly on a mesh of \[4\]",
        ),
        (lambda: programs.place(1.0, ["R"], sides=[2]), "^whole must have one dimension or more, got 1.0$"),
        (lambda: programs.place([1.0], ["S(1)"], sides=[1]), "for the 1 dimensions of whole, got"),
        (lambda: programs.run_mesh_all_reduces(sides=[4], axes=[0], length=2**21), "^length × the product of sides"),
    ],
)
def test_what_ranks_cannot_do_is_refused(wrong: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        wrong()


def test_a_model_without_heads_for_keys_is_refused() -> None:
    with pytest.raises(ValueError, match="model must have keys and values by heads, got 'DeepSeek-V3'"):
        mesh.mesh_step_traffic_bytes(
            "DeepSeek-V3",
            tensor_parallel=1,
            context_parallel=1,
            data_parallel=1,
            pipeline_parallel=1,
            sequence=8,
            batch_sequences=1,
        )


def test_times_against_loads_on_the_links() -> None:
    """Each rank's link carries what stays inside, each port what leaves: the slower of the two is the group's time."""
    fast, port, domain = 9.0, 1.0, 4
    for sides in permutations((2, 4, 2)):
        for axis in range(3):
            inside = mesh.group_ranks_in_domain(sides=sides, axes=[axis], domain=domain)
            ranks = sides[axis]
            account = programs.run_mesh_all_reduces(sides=sides, axes=[axis], length=8)
            each = account.sent_bytes[0]
            leaves = programs.leaving_bytes(account, domain=domain) / len(account.sent_bytes)
            slowest = max((each - leaves) / fast, leaves / port)
            found = mesh.group_traffic_time_s(
                sent_bytes=each, ranks=ranks, in_domain=inside, domain_bytes_per_s=fast, port_bytes_per_s=port
            )
            assert found == pytest.approx(slowest)


@given(*[st.sampled_from([1, 2, 4])] * 3, st.sampled_from([1, 2, 4, 8]))
def test_the_second_folding_has_the_same_ranks(t: int, c: int, d: int, e: int) -> None:
    cut = {"tensor_parallel": t, "context_parallel": c, "data_parallel": d, "expert_parallel": e}
    if t * c * d % e:
        with pytest.raises(ValueError, match="expert_parallel must divide"):
            mesh.expert_data_parallel(**cut)
        return
    copies = mesh.expert_data_parallel(**cut)
    experts = {mesh.mesh_group(rank, sides=[copies, e], axes=[0]) for rank in range(t * c * d)}
    assert {len(group) for group in experts} == {copies}
    assert len(experts) == e


SENT = {"RR": 0, "RS": 0, "SR": 1, "PS": 1, "PR": 2}  # how often a rank sends (R − 1)/R of its group's bytes


def one_move(state: tuple[str, ...], sides: tuple[int, ...], size: int) -> Iterator[tuple[tuple[str, ...], float]]:
    """Change one axis in every way in which each rank still has one block, and say what a rank sends."""
    for axis, before in enumerate(state):
        others = [side for other, side in enumerate(sides) if other != axis and state[other][0] == "S"]
        part = size / math.prod(others) * (sides[axis] - 1) / sides[axis]
        for after in ("R", "S(0)", "S(1)"):
            inner = [entry for entry in state[axis + 1 :] if entry[0] == "S"]
            if after != before and before not in inner and after not in inner:
                swap = before[0] == after[0] == "S"
                sent = part / sides[axis] if swap else SENT[before[0] + after[0]] * part
                yield (*state[:axis], after, *state[axis + 1 :]), sent


@pytest.mark.parametrize("sides", [(2, 2), (2, 4), (4, 2)])
def test_no_plan_of_six_moves_is_cheaper(sides: tuple[int, ...]) -> None:
    """Against all plans of up to six moves, tried one by one, with rules and prices of the test's own."""
    shape, size = (8, 8), 8 * 8 * 8
    reached: dict[tuple[str, ...], dict[tuple[str, ...], float]] = {}
    for start in product(ENTRIES, repeat=2):
        cheapest = {start: 0.0}
        for _ in range(6):
            for state, spent in list(cheapest.items()):
                for after, sent in one_move(state, sides, size):
                    cheapest[after] = min(cheapest.get(after, math.inf), spent + sent)
        reached[start] = cheapest
    for start, cheapest in reached.items():
        for goal in product(("R", "S(0)", "S(1)"), repeat=2):
            plan = programs.plan_redistribution(start, goal, sides=sides, shape=shape)
            assert sum(move.sent_bytes for move in plan) == pytest.approx(cheapest[goal])
