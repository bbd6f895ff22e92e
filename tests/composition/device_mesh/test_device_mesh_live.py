"""The live figure of chapter 25 against traffic by hand, and all that its knobs allow."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.composition.device_mesh import figures
from snippets.composition.device_mesh.axis_use import ORDERS, mesh_axis_uses
from snippets.composition.device_mesh.formulas import MeshTraffic
from snippets.composition.device_mesh.live import mesh_links


def test_the_question_by_hand() -> None:
    picture = mesh_links(order="pdct")
    tensor = 8 * 7 / 8 * 16 * 20 * 16_384 * 8192 * 2  # halves, micro-batches, layers, tokens, width, bytes
    assert round(tensor / 1e9) == 601
    assert "601 GB" in "".join(panel.svg() for panel in picture.panels)
    assert "619 GB in a step, and 17.4 GB of them leave" in picture.numbers
    assert "takes 2.11 s; the best of the 24 orders 2.11 s, the worst 15.3 s." in picture.numbers


def test_every_named_setting_says_what_happens() -> None:
    for named in mesh_links.named:
        picture = mesh_links(**named.values)
        for number in re.findall(r"[\d.]+ GB", named.notice):
            assert number in picture.numbers, (named.name, number)


@settings(max_examples=examples(40))
@given(
    order=st.sampled_from(ORDERS),
    tensor=st.sampled_from([1, 2, 8, 64]),
    context=st.sampled_from([1, 4, 16]),
    stages=st.sampled_from([1, 2, 16]),
    gpus=st.sampled_from([8, 64, 512, 4096]),
    machine=st.sampled_from(["DGX H100", "GB300 NVL72"]),
    model=st.sampled_from(["Llama 3 8B", "Llama 3 405B"]),
)
def test_any_setting_draws_or_says_why_not(**settings_: object) -> None:
    try:
        picture = mesh_links(**settings_)
    except ValueError as refusal:
        said = str(refusal)
    else:
        said = picture.numbers
        assert all("nan" not in panel.svg() for panel in picture.panels)
    assert any(part in said for part in ("leave its domain", "does not divide", "cannot be shared", "must"))


def test_sizes_have_to_be_powers_of_two() -> None:
    with pytest.raises(ValueError, match="t must be a power of two in this figure, and 3 is none"):
        mesh_links(tensor=3)
    with pytest.raises(ValueError, match="does not divide 8 GPUs"):
        mesh_links(gpus=8)
    with pytest.raises(ValueError, match="cannot be shared among d"):
        mesh_links(sequence=131_072, tensor=1)


def test_an_axis_of_one_rank_sends_nothing_and_takes_no_time() -> None:
    uses = mesh_axis_uses(
        MeshTraffic(8.0, 0.0, 4.0, 0.0),
        sizes={"t": 2, "c": 1, "d": 4, "p": 1},
        order="pdct",
        domain=2,
        domain_bytes_per_s=9,
        port_bytes_per_s=1,
    )
    assert [use.time_s for use in uses] == [0, 4, 0, 8 / 9]
    assert math.isclose(sum(use.leaving_bytes for use in uses), 4)
    usual: dict[str, Any] = {"sizes": {"t": 1, "c": 1, "d": 1, "p": 1}, "order": "pdct", "domain": 1}
    usual |= {"domain_bytes_per_s": 1, "port_bytes_per_s": 1}
    for wrong, said in (
        ({"order": "tp"}, "order must be the letters"),
        ({"sizes": {"t": 1, "c": 1, "d": 0, "p": 1}}, r"^sizes\['d'\] must be an integer of at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=said):
            mesh_axis_uses(MeshTraffic(0, 0, 0, 0), **{**usual, **wrong})


def test_the_pictures_say_what_was_computed() -> None:
    assert (
        "50% of the bytes leave"
        in figures.groups_panel(sides=[4, 2], rows=[figures.GroupRow("t", [0])], domain=4).svg()
    )
    assert "nothing leaves" in figures.groups_panel(sides=[4, 2], rows=[figures.GroupRow("d", [1])], domain=4).svg()
    stair = figures.orders_panel().svg()
    by_hand = {"t innermost": "2.1 s", "c inside t": "3.9 s", "p inside t": "7.9 s", "c and p": "15.1 to 15.3 s"}
    assert all(title in stair and seconds in stair for title, seconds in by_hand.items())
    assert all(order in stair and order in figures.orders_panel(width_px=330).svg() for order in ORDERS)
    arrows = figures.placements_panel().svg()
    for said in ("all-reduce", "3/2 n", "reduce-scatter", "3/4 n", "all-to-all", "3/16 n", "nothing"):
        assert said in arrows
    assert figures.coordinates_panel(sides=[2, 4], names="dt", domain=4).svg().count("<rect") == 2 + 8
