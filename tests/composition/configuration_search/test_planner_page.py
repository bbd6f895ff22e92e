"""What the page Planner answers: the same as ``plan``, in plain data, and a sentence beside a field that is wrong."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import shlex
from dataclasses import replace
from typing import Any

import pytest

from press.reading.checks import Scan
from snippets.command_line import main as command_line
from snippets.composition.configuration_search.candidates import Limits, candidate_layouts
from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.judged import accuracy_of
from snippets.composition.configuration_search.planner import plan
from snippets.composition.configuration_search.planner_fields import (
    ANY,
    FIELDS,
    OWN_CONFIG,
    OWN_NODE,
    OWN_WIDTHS,
    PRESETS,
    read_setting,
)
from snippets.composition.configuration_search.planner_page import planned_page
from snippets.composition.configuration_search.planner_view import planned_view
from snippets.composition.configuration_search.written_layouts import layout_line, read_layout
from snippets.composition.layouts import Layout

SMALL = {  # is planned in a few hundredths of a second
    "model": "Llama 3 8B",
    "nodes": "1",
    "tokens": "524288",
    "context": "1",
    "micro_batch": "1, 2",
    "stage": "1, 3",
}
CONFIG = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "vocab_size": 128256,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
}
WIDTHS = {"layers": "32", "hidden": "4096", "heads": "32", "key_value_heads": "8", "width": "14336"}


def plain(value: Any) -> bool:
    """Return whether a value is one that JSON and a browser have, without nothing, NaN and infinity."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(entry) for key, entry in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return isinstance(value, str | bool) or (isinstance(value, int | float) and math.isfinite(value))


def shown(setting: dict[str, str]) -> dict[str, Any]:
    """Return what the page shows of a setting."""
    found: dict[str, Any] = json.loads(planned_view(json.dumps(setting)))
    return found


def times(answer: dict[str, Any]) -> list[float]:
    return [row["seconds"] for row in answer["rows"]]


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    return planned_page(SMALL)


def test_the_opening_answer_is_that_of_plan_for_the_70b() -> None:
    answer = planned_page({})
    plans = plan(
        "Llama 3 70B",
        Cluster("DGX H100", nodes=32),
        tokens_per_step=4_194_304,
        sequence=8192,
        run_tokens=1.4e12,
        usd_per_gpu_hour=2,
        most=100,
    )
    assert times(answer) == [found.total_s for found in plans.best]
    assert [row["layout"] for row in answer["rows"]] == [
        layout_line(found.layout, keep=found.keep) for found in plans.best
    ]
    assert answer["counts"] == {"tried": plans.tried, "fitting": plans.fitting, "close": plans.near}
    assert answer["accuracy"] == accuracy_of("H100 SXM", "bf16", "Llama 3 70B").sentence
    assert answer["changed"] == {}
    first, best = answer["rows"][0], plans.best[0]
    assert (first["days"], first["usd"]) == (best.days, best.usd)
    chosen = answer["chosen"]
    assert sum(chosen["terms"].values()) == pytest.approx(best.total_s)
    assert sum(chosen["memory"].values()) == pytest.approx(best.memory.total / 1e9)
    assert chosen["memory_gb"] <= answer["job"]["room_gb"] == 72


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_planned_and_its_first_look_finds_the_same_layout(name: str) -> None:
    answer, first = planned_page(PRESETS[name]), planned_page(PRESETS[name], quick=True)
    assert plain(answer)
    assert plain(first)
    assert first["rows"][0] == answer["rows"][0]
    assert first["counts"]["tried"] < answer["counts"]["tried"] / 3
    assert len(first["rows"]) <= 20 < len(answer["rows"])
    assert all(named in FIELDS for named in PRESETS[name])
    assert [row["distinct"] for row in answer["rows"]].count(True) > 1
    assert [row["close"] for row in answer["rows"]] == [
        row["seconds"] <= 1.1 * answer["rows"][0]["seconds"] for row in answer["rows"]
    ]


def test_the_first_look_keeps_to_what_the_reader_has_named() -> None:
    answer = planned_page({**SMALL, "stage": "2", "context": "2", "recompute": "none"}, quick=True)
    assert answer["rows"]
    assert all("zero=2" in row["layout"] and "c=2" in row["layout"] for row in answer["rows"])


@pytest.mark.parametrize(
    ("setting", "field", "said"),
    [
        ({"nodes": "many"}, "nodes", "Nodes must be a number"),
        ({"nodes": "0"}, "nodes", "Nodes must be an integer of at least 1, got 0"),
        ({"nodes": "1.5"}, "nodes", "Nodes must be a whole number, got '1.5'"),
        ({"nodes": ""}, "nodes", "Nodes must be given, got nothing"),
        ({"nodes": "1e9"}, "nodes", "must be at most 1048576"),
        ({"model": "Llama 9"}, "model", "Model must be one of"),
        ({"sequence": "-1"}, "sequence", "Tokens of a sequence s must be"),
        ({"dtype": "int2"}, "dtype", "Precision must be one of"),
        ({"free": "100%"}, "free", "Memory kept free must be from 0% to below 100%, such as 65%, got '100%'"),
        ({"matmul_share": "0"}, "matmul_share", "must be above 0% and at most 100%"),
        ({"matmul_share": "65"}, "matmul_share", "must be above 0% and at most 100%"),
        ({"tensor": "2;4"}, "tensor", "Tensor t must be whole numbers with commas between them"),
        ({"tensor": "0"}, "tensor", "Tensor t must be an integer of at least 1, got 0"),
        ({"stage": "4"}, "stage", "ZeRO's stage must hold 0, 1, 2 or 3"),
        ({"usd": "-2"}, "usd", "Dollars a GPU and hour must be above 0"),
        ({"model": OWN_CONFIG}, "config", "config.json must be given, got nothing"),
        ({"model": OWN_CONFIG, "config": "{"}, "config", "config.json must be JSON"),
        ({"model": OWN_CONFIG, "config": "[]"}, "config", "config must be a mapping"),
        ({"model": OWN_CONFIG, "config": '{"model_type": "mamba"}'}, "config", "config['model_type'] must be one of"),
        ({"model": OWN_CONFIG, "config": "[" * 90_000}, "config", "config.json must be JSON"),
        ({"model": OWN_WIDTHS, "heads": "63"}, "hidden", "Hidden size h must be a multiple of heads = 63"),
        ({"model": OWN_WIDTHS, "experts": "8"}, "experts_per_token", "Experts of a token k must be given"),
        ({"model": OWN_WIDTHS, "experts_per_token": "8"}, "experts", "Experts E must be given"),
        ({"node": OWN_NODE, "memory": "80 GPUs"}, "memory", "Memory of a GPU must be a number, with or without a unit"),
        ({"node": OWN_NODE, "ports": "0"}, "ports", "Network ports of a node must be an integer of at least 1"),
    ],
)
def test_a_field_that_cannot_be_read_is_named_with_its_reason(setting: dict[str, str], field: str, said: str) -> None:
    answer = planned_page(setting)
    assert list(answer) == ["errors"]
    assert list(answer["errors"]) == [field]
    assert said in answer["errors"][field]


def test_several_wrong_fields_are_named_at_once() -> None:
    assert set(planned_page({"nodes": "x", "free": "x", "tensor": "x"})["errors"]) == {"nodes", "free", "tensor"}


def test_what_is_no_field_or_does_not_count_is_passed_over() -> None:
    assert planned_page({**SMALL, "older": "x", "layers": "none", "memory": "none"}) == planned_page(SMALL)


@pytest.mark.parametrize("bad", [None, 3, "x", ["nodes"]])
def test_what_is_no_setting_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="setting must be a mapping"):
        planned_page(bad)


def test_a_config_and_widths_are_the_model_that_they_describe(small: dict[str, Any]) -> None:
    by_config = planned_page({**SMALL, "model": OWN_CONFIG, "config": json.dumps(CONFIG)})
    by_widths = planned_page({**SMALL, **WIDTHS, "model": OWN_WIDTHS})
    inside = planned_page({**SMALL, "model": OWN_CONFIG, "config": json.dumps({"text_config": CONFIG})})
    for answer in (by_config, by_widths, inside):
        assert times(answer) == times(small)
        assert answer["job"]["parameters"] == small["job"]["parameters"]


def test_experts_of_ones_own_are_planned() -> None:
    own = {**WIDTHS, "model": OWN_WIDTHS, "experts": "8", "experts_per_token": "2", "vocabulary": "32000"}
    answer = planned_page({**SMALL, **own, "nodes": "8"})
    known = planned_page({**SMALL, "model": "Mixtral 8x7B", "nodes": "8"})
    assert answer["job"]["parameters"] == known["job"]["parameters"]
    assert times(answer) == times(known)


def test_a_node_of_ones_own_like_a_dgx_h100_plans_alike(small: dict[str, Any]) -> None:
    own = {"node": OWN_NODE, "peak": "989.4 TFLOP/s"}
    answer = planned_page({**SMALL, **own})
    assert times(answer) == pytest.approx(times(small))
    assert "as on an H100 SXM" in answer["constants"]["source"]
    assert "on your own GPU or a device like it" in answer["accuracy"]
    slower = planned_page({**SMALL, **own, "link": "50 GB/s"})
    assert slower["rows"][0]["seconds"] >= answer["rows"][0]["seconds"]


def test_a_share_of_ones_own_is_counted_with_and_said(small: dict[str, Any]) -> None:
    answer = planned_page({**SMALL, "matmul_share": "40%"})
    assert answer["constants"]["matmul_share"] == 0.4
    assert answer["constants"]["source"].startswith("matmuls: yours")
    assert answer["rows"][0]["seconds"] > 1.5 * small["rows"][0]["seconds"]


def test_what_a_link_keeps_brings_the_same_answer() -> None:
    setting = {**SMALL, "free": "5%", "tensor": "1,2", "sequence": "4096", "nodes": "2"}
    answer = planned_page(setting)
    assert answer["changed"] == setting
    assert planned_page(answer["changed"]) == answer


def test_days_and_price_are_left_out_where_nothing_is_said_of_them() -> None:
    answer = planned_page({**SMALL, "run_tokens": ""})
    assert (answer["rows"][0]["days"], answer["rows"][0]["usd"]) == (0, 0)
    rows = shown({**SMALL, "run_tokens": ""})["parts"]["rows"]
    assert "price" not in rows
    assert "days" not in rows


def test_a_layout_of_the_list_and_one_that_was_typed_are_told(small: dict[str, Any]) -> None:
    line = small["rows"][3]["layout"]
    chosen = planned_page({**SMALL, "chosen": line})["chosen"]
    assert (chosen["rank"], chosen["layout"]) == (4, line)
    assert chosen["seconds"] == small["rows"][3]["seconds"]
    typed = planned_page({**SMALL, "chosen": "t=8, zero 0"})["chosen"]
    assert typed["layout"] == "t=8 zero=0"
    assert typed["slower"] > 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("t=3", "It cannot run: t × p × c must divide the 8 GPUs, got 3."),
        ("t=2 d=2", "It cannot run: t × p × c × d must be the 8 GPUs, got 4."),
        ("e=8", "It cannot run: expert must be 1 for a model without experts, got 8."),
        ("zero=1 b=4", "It does not fit: "),
        ("x=1", "It cannot run: written must name t, p, v, c, d, e, b, zero or recompute, such as t=8 p=4 zero=1"),
        ("<b>", "It cannot run: written must name"),
    ],
)
def test_a_layout_that_cannot_run_is_told_why(line: str, reason: str) -> None:
    answer = planned_page({**SMALL, "chosen": line})
    assert answer["chosen"]["reason"].startswith(reason)
    assert answer["chosen"]["rank"] == 0
    assert answer["rows"]
    assert answer["chosen"]["reason"] in shown({**SMALL, "chosen": line})["said"]


def test_stages_that_differ_by_a_layer_are_allowed_as_in_a_search() -> None:
    chosen = planned_page({**SMALL, "model": "Llama 3 70B", "nodes": "12", "tokens": "393216", "chosen": "t=8 p=12"})[
        "chosen"
    ]
    assert "cannot run" not in chosen["reason"]


def test_where_nothing_fits_the_answer_says_so_and_why() -> None:
    answer = planned_page({"nodes": "1", "tokens": "65536"})
    assert answer["rows"] == []
    assert answer["chosen"] == {}
    assert answer["refused"][0]["kind"] == "memory"
    page = shown({"nodes": "1", "tokens": "65536"})
    parts = page["parts"]
    assert "can run.</strong>" in parts["summary"]
    assert "do not fit" in parts["refused"]
    assert page["said"].startswith("None of")


def test_tokens_that_are_no_whole_sequences_are_said() -> None:
    said = shown({**SMALL, "tokens": "4e6"})["parts"]["summary"]
    assert "You asked for 4,000,000 tokens a step. 512 whole sequences have 4,194,304" in said
    assert "You asked for" not in shown(SMALL)["parts"]["summary"]


def test_the_csv_has_every_row_with_its_terms(small: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(small["texts"]["csv"])))
    assert len(rows) == len(small["rows"]) == 100
    for row, shown in zip(rows, small["rows"], strict=True):
        assert float(row["step_s"]) == pytest.approx(shown["seconds"], rel=1e-5)
        assert float(row["memory_bytes"]) == pytest.approx(shown["memory_gb"] * 1e9, rel=1e-9)
        sizes = [int(row[letter]) for letter in "tpcd"]
        assert math.prod(sizes) == 8
        assert f"zero={row['zero']}" in shown["layout"]


CALLS = [
    {**SMALL},
    {**SMALL, "free": "5%", "tensor": "1,2", "recompute": "full", "stage": "3", "dtype": "fp8"},
    {**SMALL, "matmul_share": "50%", "run_tokens": ""},
    {**SMALL, **WIDTHS, "model": OWN_WIDTHS},
    {**SMALL, **WIDTHS, "model": OWN_WIDTHS, "experts": "8", "experts_per_token": "2", "nodes": "8"},
    {**SMALL, "node": OWN_NODE, "memory": "96 GB", "matmul_share": "50%"},
    {**SMALL, "model": OWN_CONFIG, "config": json.dumps(CONFIG)},
]


@pytest.mark.parametrize("setting", CALLS, ids=range(len(CALLS)))
def test_the_same_call_in_python_gives_the_same_list(
    setting: dict[str, str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    monkeypatch.chdir(tmp_path)
    answer = planned_page(setting)
    given: dict[str, Any] = {}
    exec(answer["texts"]["python"], given)
    assert [found.total_s for found in given["plans"].best] == times(answer)


@pytest.mark.parametrize("setting", CALLS, ids=range(len(CALLS)))
def test_the_same_call_in_a_terminal_gives_the_same_best(
    setting: dict[str, str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    monkeypatch.chdir(tmp_path)
    answer = planned_page(setting)
    words = shlex.split(answer["texts"]["command"])
    assert words[:3] == ["python", "-m", "snippets"]
    assert command_line([*words[3:], "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    distinct = [row["seconds"] for row in answer["rows"] if row["distinct"]]
    assert [found["step_s"] for found in printed["plans"]] == distinct[:5]


@pytest.mark.parametrize("setting", [{}, {**SMALL, "run_tokens": ""}, {"nodes": "1", "tokens": "65536"}, *CALLS[4:]])
def test_the_view_has_all_parts_and_nothing_that_a_page_refuses(setting: dict[str, str]) -> None:
    page = shown(setting)
    assert tuple(page["parts"]) == ("summary", "rows", "chosen", "refused", "run")
    for part in page["parts"].values():
        assert Scan(part).findings == []
    assert page["said"]
    assert plain(page)


@pytest.mark.parametrize("field", ["config", "chosen", "nodes", "model"])
def test_a_strangers_text_is_never_html(field: str) -> None:
    """A link may hold anything, and so may a file's name of its model."""
    evil = "<img src=x onerror=alert(1)>\"'&"
    setting: dict[str, str] = {**SMALL, field: evil}
    if field == "config":
        setting |= {"model": OWN_CONFIG, "config": json.dumps({**CONFIG, "_name_or_path": evil})}
    page = shown(setting)
    written = "".join(page.get("parts", {}).values())
    assert "<img" not in written
    assert page["errors"] or "&lt;img" in written


@pytest.mark.parametrize("bad", ["", "[", "3", "null", '"x"'])
def test_what_is_no_json_of_a_setting_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="setting"):
        planned_view(bad)


def test_every_limit_of_the_page_is_one_of_the_search() -> None:
    limits = {name for name, field in FIELDS.items() if field.group == "limits"}
    assert all(hasattr(Limits(), name) for name in limits)
    assert FIELDS["recompute"].options is not None
    assert set(FIELDS["recompute"].options) - {ANY} == {"none", "some", "full", "selective"}
    assert FIELDS["free"].default == f"{Limits().free_share:.0%}"


def test_every_default_can_be_read() -> None:
    for model in (FIELDS["model"].default, OWN_WIDTHS):
        for node in (FIELDS["node"].default, OWN_NODE):
            asked, errors = read_setting({"model": model, "node": node})
            assert errors == {}
            assert asked is not None


def test_a_written_layout_is_read_back() -> None:
    found = candidate_layouts(
        "DeepSeek-V3", Cluster("DGX H100", nodes=32), batch_sequences=512, sequence=8192, limits=Limits(uneven=False)
    )
    for sizes in random.Random(29).sample(found.sizes, 300):
        layout = sizes.layout()
        read = read_layout(layout_line(layout, keep=sizes.recompute), gpus=256)
        assert (read.layout, read.keep) == (replace(layout, uneven=False), sizes.recompute)


@pytest.mark.parametrize(
    "written",
    [
        "t=8 p=4 zero=1",
        "zero=1,p=4,t=8",
        "t8 p4 ZeRO-1",
        "tensor = 8; pipeline: 4",
        "TP=8 PP=4 DP=8",
        "t=8 · p=4 · d=8",
    ],
)
def test_a_layout_is_read_in_any_usual_spelling(written: str) -> None:
    assert read_layout(written, gpus=256).layout == Layout(tensor=8, pipeline=4, data=8)


@pytest.mark.parametrize(
    "written", ["", " ", "t", "t=", "t=0", "t=x", "t=2 t=2", "recompute=most", "t=99999999999", "=8"]
)
def test_a_layout_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="must"):
        read_layout(written, gpus=256)
