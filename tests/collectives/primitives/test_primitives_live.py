"""The live figure of chapter 12 says what an array of the reader's own costs, as messages of one element count it."""

from __future__ import annotations

import re

import pytest

from snippets.collectives.ring_and_tree.live import primitive_stepper
from snippets.live.knobs import from_units
from snippets.models import parameter_count
from snippets.simulation.algorithms import PLAINEST, build_collective


@pytest.mark.parametrize("primitive", PLAINEST)
def test_the_busiest_port_of_the_readers_own_ranks_is_counted_from_messages(primitive: str) -> None:
    ranks = 16
    schedule = build_collective(primitive, PLAINEST[primitive], ranks=ranks, length=ranks)
    sent, received = [0] * ranks, [0] * ranks
    for sends in schedule.rounds:
        for send in sends:
            sent[send.source] += send.elements
            received[send.destination] += send.elements
    picture = primitive_stepper(primitive=primitive, yours=ranks, size_bytes=16e9)
    said = re.search(r"with an array of 16 GB: the busiest sends or receives ([\d.]+ \w+)\.", picture.numbers)
    assert said
    assert from_units("bytes", said[1], "B") == pytest.approx(max(sent + received) * 1e9, rel=6e-3)


def test_it_opens_on_the_question_and_knows_the_70b() -> None:
    opening = primitive_stepper.opening
    assert opening
    assert opening.name == "Your forward pass"
    assert opening.values["size_bytes"] == 2 * parameter_count("Llama 3 8B")
    half_way = primitive_stepper(**opening.values).numbers
    assert "24 chunks sent (busiest rank: 3 chunks); 32 cells of the result still to fill" in half_way
    assert "In the end: 56 chunks sent (busiest rank: 7)" in half_way
    (job,) = (named for named in primitive_stepper.named if named.name == "The 70B on 256 GPUs")
    assert "on 256 ranks, with an array of 141 GB" in primitive_stepper(**job.values).numbers
