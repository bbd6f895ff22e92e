"""What the steppers show is what arrays do that a runner moves, message by message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.collectives.grid import run_on_grid
from snippets.collectives.ring_and_tree.live import _columns, collective_stepper, primitive_stepper
from snippets.drawing import Panel
from snippets.job import THE_70B
from snippets.live.declaring import settings_key
from snippets.models import parameter_parts
from snippets.simulation.algorithms import ALGORITHMS, PIPELINED, PLAINEST, build_collective
from snippets.simulation.runner import run
from snippets.simulation.schedule import ROOTED, Schedule
from tests.live.checking import assert_draws

ALL_REDUCES = ALGORITHMS["all_reduce"]


def elements(panel: Panel) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(panel.svg()).iter())


def texts(panel: Panel, content: str) -> int:
    """Count the places at which a text stands; the many places of one element are one character each."""
    found = 0
    for element in elements(panel):
        if element.tag.endswith("text"):
            places = element.get("x", "").split()
            found += (element.text or "").count(content) if len(places) > 1 else element.text == content
    return found


def shapes(panel: Panel, colour: str, *, size: float | None = None) -> int:
    """Count the rectangles of a colour in a panel's compact shapes."""
    found = 0
    for element in elements(panel):
        if element.tag.endswith("path") and element.get("class") == f"b-{colour}":
            widths = re.findall(r"h([\d.]+)v", element.get("d", ""))
            found += sum(size is None or float(width) == size for width in widths)
    return found


def arrows(panel: Panel) -> int:
    return sum(element.tag.endswith("line") for element in elements(panel))


def values_after(schedule: Schedule, moment: int) -> list[dict[int, int]]:
    """Return what each rank holds after some rounds: numbers that are moved here, a bit for each rank's term."""
    held = [
        {address: 1 << rank for start, stop in schedule.input_ranges(rank) for address in range(start, stop)}
        for rank in range(schedule.ranks)
    ]
    for sends in schedule.rounds[:moment]:
        parcels = [
            (send, {at: held[send.source][at] for start, stop in send.ranges for at in range(start, stop)})
            for send in sends
        ]
        for send, parcel in parcels:
            target = held[send.destination]
            for address, number in parcel.items():
                target[address] = target[address] + number if send.combine else number
    return held


def final_sent(schedule: Schedule) -> Sequence[int]:
    """Return the elements that each rank has sent, as the runner counted them."""
    inputs = [
        np.ones(sum(stop - start for start, stop in schedule.input_ranges(rank)), np.int8)
        for rank in range(schedule.ranks)
    ]
    return [int(sent) for sent in run(schedule, inputs).account.sent_bytes]


@given(
    primitive=st.sampled_from(list(PLAINEST)),
    ranks=st.integers(2, 8),
    root=st.integers(0, 7),
    moment=st.integers(0, 14),
)
def test_a_primitive_counts_what_a_run_counts(primitive: str, ranks: int, root: int, moment: int) -> None:
    picture = primitive_stepper(primitive=primitive, ranks=ranks, root=root, moment=moment)
    root = min(root, ranks - 1) if primitive in ROOTED else 0
    schedule = build_collective(primitive, PLAINEST[primitive], ranks=ranks, length=ranks, root=root)
    moment = min(moment, len(schedule.rounds))
    assert picture.limits["moment"] == len(schedule.rounds)
    said = re.search(
        r": (\d+) chunks? sent \(busiest rank: (\d+) chunks?\); (\d+) cells? of the result", picture.numbers
    )
    assert said
    sent = [0] * ranks
    for send in (send for sends in schedule.rounds[:moment] for send in sends):
        sent[send.source] += send.elements
    assert (int(said[1]), int(said[2])) == (sum(sent), max(sent))
    if moment == len(schedule.rounds):
        assert said[3] == "0"
        assert sent == final_sent(schedule)
    assert arrows(picture.panels[0]) == (len(schedule.rounds[moment - 1]) if moment else 0)


@pytest.mark.parametrize("primitive", list(PLAINEST))
def test_the_grids_end_where_a_run_on_marked_numbers_ends(primitive: str) -> None:
    ranks = 5
    done = run_on_grid(primitive, 1 << np.arange(ranks * ranks, dtype=np.int64).reshape(ranks, ranks))
    picture = primitive_stepper(primitive=primitive, ranks=ranks, moment=14)
    for panel in picture.panels[1:]:
        for row, column in np.argwhere(done.fills):
            terms = [bit for bit in range(ranks * ranks) if int(done.after[row, column]) >> bit & 1]
            if len(terms) == 1:
                piece = divmod(terms[0], ranks)
                assert texts(panel, f"{'ABCDE'[piece[0]]}{piece[1]}") >= 1
        if primitive in ("reduce", "reduce_scatter", "all_reduce"):
            assert texts(panel, "Σ") == done.fills.sum()
    pieces = sum(texts(picture.panels[2], f"{letter}{chunk}") for letter in "ABCDE" for chunk in range(ranks))
    assert pieces + texts(picture.panels[2], "Σ") == done.fills.sum()


@given(
    algorithm=st.sampled_from(ALL_REDUCES),
    ranks=st.integers(2, 8),
    segments=st.integers(1, 4),
    moment=st.integers(0, 24),
)
def test_an_all_reduce_shows_what_arrays_hold(algorithm: str, ranks: int, segments: int, moment: int) -> None:
    picture = collective_stepper(algorithm=algorithm, ranks=ranks, segments=segments, moment=moment)
    blocks = segments if algorithm in PIPELINED else 1
    columns = _columns(algorithm, ranks, blocks)
    schedule = build_collective("all_reduce", algorithm, ranks=ranks, length=columns, segments=blocks)
    moment = min(moment, len(schedule.rounds))
    ring, grid, _ = picture.panels
    assert picture.limits["moment"] == len(schedule.rounds)
    held = [number for places in values_after(schedule, moment) for number in places.values()]
    everything = (1 << ranks) - 1
    assert texts(grid, "Σ") == held.count(everything)
    width = min(40, 208 / columns)
    across = ranks if ranks <= 4 else -(-ranks // 2)
    small = round(min((width - 4) / across, 12) - 2, 1)
    for rank in range(ranks):
        terms = sum(number >> rank & 1 for number in held if number != everything)
        assert shapes(grid, f"rank-{rank}", size=small) == terms
    sends = schedule.rounds[moment - 1] if moment else ()
    assert arrows(ring) == len(sends)
    assert shapes(grid, "communication") == 2 * sum(send.elements for send in sends)
    said = re.search(r": (\d+) of (\d+) steps? done\. (.*?) For ", picture.numbers)
    assert said
    assert (int(said[1]), int(said[2])) == (moment, len(schedule.rounds))
    longest = [max(send.elements for send in sends) / columns for sends in schedule.rounds]
    expected = [sum(longest[:moment]), sum(longest)] if 0 < moment < len(longest) else [sum(longest)]
    told = [float(number) for number in re.findall(r"([\d.]+) gradients?", said[3])]
    assert told == pytest.approx(expected, rel=6e-3)


@given(algorithm=st.sampled_from(ALL_REDUCES), ranks=st.integers(2, 8), segments=st.integers(1, 4))
def test_bars_end_at_their_outlines_and_at_what_a_run_counts(algorithm: str, ranks: int, segments: int) -> None:
    panel = collective_stepper(algorithm=algorithm, ranks=ranks, segments=segments, moment=24).panels[2]
    blocks = segments if algorithm in PIPELINED else 1
    columns = _columns(algorithm, ranks, blocks)
    schedule = build_collective("all_reduce", algorithm, ranks=ranks, length=columns, segments=blocks)
    sent = final_sent(schedule)
    outlines = [float(element.get("width", 0)) for element in elements(panel) if element.tag.endswith("rect")]
    filled = [float(width) for width in re.findall(r"h([\d.]+)v", panel.svg())]
    assert [width for width in outlines if width] == pytest.approx(filled, abs=0.11)
    ratio = max(sent) / max(outlines[:ranks])
    assert outlines[:ranks] == pytest.approx([amount / ratio for amount in sent], abs=0.2)


def test_the_first_picture_is_the_chapters_ring_before_its_first_step() -> None:
    opening = collective_stepper.opening
    assert opening
    assert opening.name == "Ring, from the start"
    assert collective_stepper().numbers == collective_stepper(**opening.values).numbers
    assert collective_stepper().numbers == (
        "Ring on 4 GPUs: 0 of 6 steps done. All of them take as long as sending 1.5 gradients one after another. "
        "For 256 GPUs with 10 GB each it is 510 steps and 501 ms, 0.5% of it latency. Adding and copying take half of "
        "that each, 250 ms."
    )


def test_the_first_play_needs_no_python() -> None:
    near = collective_stepper.described()["near"]
    for step in range(7):
        told = near[settings_key({**collective_stepper.opens_at(), "moment": f"@{step}"})]["numbers"]
        assert f"{step} of 6 steps done" in told
    half = collective_stepper(moment=3)
    assert "They take as long as sending 0.75 gradients one after another, all 6 as long as" in half.numbers
    assert "4 of 16 cells hold the full sum" in half.alt


@pytest.mark.parametrize(
    ("algorithm", "group", "size_bytes", "said"),
    [
        ("flat", 256, 10**10, "510 steps and 128 s, hardly any"),  # 510 · (5 µs + 0.25 s)
        ("binomial", 256, 10**10, "16 steps and 4 s, hardly any"),
        ("recursive_doubling", 256, 4, "8 steps and 40 µs, 100.0%"),
        ("ring", 256, 4, "510 steps and 2.55 ms, 100.0%"),
        ("ring", 1024, 10**9, "2,046 steps and 60.2 ms, 17.0%"),  # 10.23 ms + 2 · 1023/1024 · 25 ms
    ],
)
def test_it_says_what_a_readers_own_group_would_take(algorithm: str, group: int, size_bytes: int, said: str) -> None:
    numbers = collective_stepper(algorithm=algorithm, group=group, size_bytes=size_bytes).numbers
    assert f"each it is {said} of it latency." in numbers


def test_two_trees_take_the_best_number_of_blocks() -> None:
    numbers = collective_stepper(algorithm="double_binary_tree", segments=1).numbers
    said = re.search(r"in (\d+) blocks a tree it is ([\d,]+) steps and 517 ms", numbers)
    assert said
    assert int(said[2].replace(",", "")) == 2 * (16 + 2 * (int(said[1]) - 1))


def test_what_a_named_setting_says_is_to_be_seen() -> None:
    start, root, butterfly, thread = (collective_stepper(**named.values) for named in collective_stepper.named)
    assert "0 of 16 cells hold the full sum" in start.alt
    assert all(all(f"{rank} to" in collective_stepper(moment=step).alt for rank in range(4)) for step in range(1, 7))
    assert all(0 in (int(a), int(b)) for a, b in re.findall(r"(\d) to (\d)", root.alt))
    assert "64 of 64 cells" in butterfly.alt
    assert "8 of 64 cells" in thread.alt
    assert "7 of 14 steps" in thread.numbers
    assert thread.numbers.endswith("Adding and copying take half of that each, 43.9 ms.")


def test_the_70bs_message_is_a_layer_of_its_weights() -> None:
    parts = parameter_parts(THE_70B.model)
    norms = 2 * THE_70B.model.hidden
    size = collective_stepper.named[3].values["size_bytes"]
    assert abs(size - 2 * (parts.attention + parts.feed_forward) / THE_70B.model.layers) <= 2 * norms


def test_ranks_beyond_a_power_of_two_are_said_to_fold() -> None:
    numbers = collective_stepper(algorithm="recursive_doubling", ranks=6, moment=24).numbers
    assert numbers == (
        "Recursive doubling on 6 GPUs: 4 of 4 steps done. They take as long as sending 4 gradients one after another. "
        "2 of the GPUs give their gradients to others first and get the sum last. "
        "For 256 GPUs with 10 GB each it is 8 steps and 2 s, hardly any of it latency."
    )


def test_a_root_beyond_the_ranks_is_the_last_rank() -> None:
    far, last = (primitive_stepper(primitive="scatter", ranks=3, root=root) for root in (7, 2))
    assert far.numbers == last.numbers
    assert "from root 2" in far.numbers


def test_a_knob_that_changes_nothing_is_idle() -> None:
    assert [*primitive_stepper(primitive="gather").idle, *primitive_stepper(primitive="all_gather").idle] == ["root"]
    for algorithm in ALL_REDUCES:
        few, many = (collective_stepper(algorithm=algorithm, segments=segments) for segments in (1, 4))
        same = [panel.svg() for panel in few.panels] == [panel.svg() for panel in many.panels]
        assert ("segments" in few.idle) == same


def test_every_moment_of_every_all_reduce_draws() -> None:
    for algorithm in ALL_REDUCES:
        for moment in range(0, 25, 3):
            assert_draws(collective_stepper, {"algorithm": algorithm, "ranks": 8, "segments": 4, "moment": moment})


def test_the_shown_share_is_of_the_vector() -> None:
    schedule = build_collective("all_reduce", "ring", ranks=8, length=8)
    half = replace(schedule, rounds=schedule.rounds[:7])
    moved = Fraction(sum(send.elements for sends in half.rounds for send in sends if send.source == 0), 8)
    assert f"sending {float(moved):.3g} gradients" in collective_stepper(ranks=8, moment=7).numbers
