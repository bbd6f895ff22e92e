"""The planner from a terminal: its numbers are the planner's, what limits and own machines do, and what is refused."""

from __future__ import annotations

import json
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from snippets.command_line import main
from snippets.composition.configuration_search.candidates import Limits
from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.exported import layout_flags
from snippets.composition.configuration_search.judged import MEASURED, accuracy_of, judged_groups
from snippets.composition.configuration_search.planner import layout_plan, plan
from snippets.composition.configuration_search.planner_calls import command_of
from snippets.composition.configuration_search.planner_fields import OWN_NODE, OWN_WIDTHS, read_setting
from snippets.composition.layouts import Layout
from snippets.hardware import NODES

ROOT = Path(__file__).parents[1]
THREAD = "--model 'Llama 3 70B' --nodes 32 --sequence 8192 --tokens 4e6"
SMALL = "--model 'Llama 3 8B' --nodes 2 --sequence 8192 --tokens 2e6"
PLAN_S = 2.0  # of processor time, for all of a command


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return what runs a command, as what it prints."""

    def run(line: str) -> str:
        assert main(shlex.split(line)) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return run


@pytest.fixture
def asked(printed: Any) -> Any:
    return lambda line: json.loads(printed(f"{line} --json"))


@pytest.fixture
def values(asked: Any) -> Any:
    return lambda line: {row["what"]: row["value"] for row in asked(line)["rows"]}


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Any:
    def refuse(line: str) -> str:
        assert main(shlex.split(line)) == 2
        told = capsys.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)
        return told.err.strip()

    return refuse


# The same numbers as in Python.


def test_the_list_is_the_planners(asked: Any) -> None:
    """The command searches in arrays; ``plan`` goes through the layouts one by one."""
    found = asked(f"plan {SMALL} --no-distinct --top 20")
    plans = plan("Llama 3 8B", Cluster(NODES["DGX H100"], nodes=2), tokens_per_step=2e6, sequence=8192, most=20)
    assert [one["step_s"] for one in found["plans"]] == pytest.approx([one.total_s for one in plans.best])
    assert [one["layout"]["tensor"] for one in found["plans"]] == [one.layout.tensor for one in plans.best]
    counts = found["tried"], found["fitting"], found["within_a_tenth"], found["refused"]
    assert counts == (plans.tried, plans.fitting, plans.near, plans.refused)
    assert found["batch_sequences"] == plans.batch_sequences
    assert found["plans"][0]["memory_bytes"]["total"] == pytest.approx(plans.best[0].memory.total)


def test_the_table_is_the_json(printed: Any, asked: Any) -> None:
    table = printed(f"plan {SMALL} --run-tokens 1e12 --usd 2")
    lines = re.findall(r"^(\d+) +(.*?)  +(\S+) s +(\S+)% +(\S+) GB +(\S+) +\$(\S+)$", table, re.MULTILINE)
    found = asked(f"plan {SMALL} --run-tokens 1e12 --usd 2")["plans"]
    assert len(lines) == len(found) == 4
    for (place, line, seconds, mfu, memory, days, price), one in zip(lines, found, strict=True):
        assert int(place) == one["place"]
        assert f"zero={one['layout']['stage']}" in line
        assert float(seconds) == pytest.approx(one["step_s"], rel=1e-3)
        assert float(mfu) == pytest.approx(100 * one["mfu"], abs=0.06)
        assert float(memory) == pytest.approx(one["memory_bytes"]["total"] / 1e9, abs=0.06)
        assert float(days) == pytest.approx(one["days"], abs=0.06)
        assert float(price.replace(",", "")) == pytest.approx(one["usd"], rel=5e-3)
        assert one["usd"] == pytest.approx(one["days"] * 24 * 16 * 2)
        assert one["days"] == pytest.approx(1e12 / (one["tokens_per_s_per_gpu"] * 16) / 86_400)


def test_the_distinct_list_has_each_axis_once(asked: Any) -> None:
    """Of a list of a hundred, the fastest of each t, p and e; their places are those of the list."""
    every = asked(f"plan {SMALL} --no-distinct --top 100")["plans"]
    found = asked(f"plan {SMALL} --top 100")["plans"]
    axes = [(one["layout"]["tensor"], one["layout"]["pipeline"], one["layout"]["expert"]) for one in found]
    assert len(axes) == len({*axes}) > 2
    assert all(every[one["place"] - 1] == one for one in found)
    assert len(found) == len({(one["layout"]["tensor"], one["layout"]["pipeline"]) for one in every})


def test_step_is_the_planners_prediction(values: Any) -> None:
    found = values(f"step {THREAD} --tensor 8 --pipeline 4 --data 8 --zero 1")
    layout = Layout(tensor=8, pipeline=4, data=8)
    one = layout_plan("Llama 3 70B", Cluster(NODES["DGX H100"], nodes=32), layout, tokens_per_step=4e6, sequence=8192)
    assert found["step"] == pytest.approx(one.total_s)
    assert found["memory"] == pytest.approx(one.memory.total)
    terms = {what.removeprefix("time: "): value for what, value in found.items() if what.startswith("time: ")}
    assert terms == pytest.approx({name: value for name, value in one.step.terms.items() if value})
    assert sum(terms.values()) == pytest.approx(found["step"])
    kinds = [value for what, value in found.items() if what.startswith("memory: ")]
    assert sum(kinds) == pytest.approx(found["memory"])
    assert found["left"] == pytest.approx(80e9 - found["memory"])
    assert found["fits"] is True


@pytest.mark.parametrize(
    "written",
    ["t=8 p=4 d=8 zero=1", "zero=1 p=4 t=8", "'t = 8, p = 4, ZeRO-1'", "tp=8 pp=4", "t8 p4", "pipeline=4 tensor=8"],
)
def test_why_takes_a_layout_in_any_order(written: str, values: Any) -> None:
    expected = values(f"step {THREAD} --tensor 8 --pipeline 4 --free-share 10%")
    found = values(f"plan {THREAD} --why {written}")
    assert found.pop("slower than the fastest") > 0
    assert found == expected


def test_the_axes_have_their_usual_names(printed: Any) -> None:
    expected = printed(f"step {THREAD} --tensor 8 --pipeline 4 --data 8 --micro-batch 2")
    assert printed(f"step {THREAD} --tp 8 --pp 4 --dp 8 --mbs 2") == expected


def test_a_machine_of_ones_own_is_called_so(printed: Any) -> None:
    assert printed(f"plan {SMALL} --memory 48GB").startswith("Llama 3 8B on 16 GPUs of your own, else like H100 SXM, ")


def test_why_takes_what_the_table_shows(printed: Any, values: Any) -> None:
    """Each line of the table, typed back, and its place, are the same plan."""
    table = printed(f"plan {SMALL}")
    lines = re.findall(r"^(\d+) +(\S+(?: \S+)*)  ", table, re.MULTILINE)
    assert len(lines) == 4
    for place, line in lines:
        by_place = values(f"plan {SMALL} --why {place}")
        assert by_place["layout"] == line
        assert values(f"plan {SMALL} --why {line}") == by_place


def test_why_says_why_a_layout_cannot_run(values: Any) -> None:
    assert values(f"plan {THREAD} --why t=8 p=32 v=3") == {
        "layout": "t=8 p=32 v=3",
        "cannot run": "layers must be a multiple of stages × chunks = 96, or 2 below one, got 80",
    }
    assert values(f"plan {THREAD} --why t=8 p=3")["cannot run"] == "t × p × c must divide the 256 GPUs, got 24"


def test_why_says_by_how_much_a_layout_does_not_fit(values: Any) -> None:
    found = values(f"plan {THREAD} --why d=256 zero=1")
    assert found["fits"] is False
    assert found["left"] == pytest.approx(72e9 - found["memory"])
    twice = values(f"plan {THREAD} --why d=256 zero=1 recompute=full")
    assert found["with recompute=full"] == f"does not fit by {-twice['left'] / 1e9:.1f} GB"
    found = values(f"plan {THREAD} --why t=8 p=4 zero=1 b=8 recompute=none")
    twice = values(f"plan {THREAD} --why t=8 p=4 zero=1 b=8 recompute=full")
    assert (found["fits"], twice["fits"]) == (False, True)
    assert found["with recompute=full"] == f"fits, {twice['step']:.4g} s a step"


def test_beside_each_answer_stands_how_exact_such_answers_were(printed: Any, asked: Any, values: Any) -> None:
    for device, name in (("H100 SXM", "Llama 3 8B"), ("A100", "Llama 3 8B"), ("H100 SXM", "Mixtral 8x7B")):
        line = f"--model '{name}' --nodes 4 --device '{device}' --sequence 4096 --tokens 1e6"
        sentence = accuracy_of(NODES[f"DGX {device[:4]}"].accelerator, "bf16", name).sentence
        assert re.sub(r"\s+", " ", sentence) in re.sub(r"\s+", " ", printed(f"plan {line}"))
        assert asked(f"plan {line}")["accuracy"]["sentence"] == sentence
        assert values(f"plan {line} --why 1")["measured runs"] == sentence


def test_check_lists_every_group(printed: Any, asked: Any) -> None:
    table = printed("plan --check").partition("\n\n")[0].splitlines()
    assert [line.split("  ")[0] for line in table[1:]] == [*judged_groups()]
    rows = asked("plan --check")["measured"]
    assert [row["layouts"] for row in rows] == [len(group) for group in judged_groups().values()]
    assert f"{rows[0]['median_error']:.1%}" in table[1]


def test_a_file_of_measured_rows_of_ones_own(printed: Any, asked: Any, refused: Any, tmp_path: Path) -> None:
    """The book's own file gives the book's own table; what cannot be predicted is counted with its reason."""
    own = {row["measured"]: row for row in asked("plan --check")["measured"]}
    for name in ("vtrain_multi", "published_steps"):
        found = asked(f"plan --measured {shlex.quote(str(MEASURED / name))}.csv")
        assert found["measured"] == [own[row["measured"]] for row in found["measured"]]
    assert found["not_predicted"]
    table = printed(f"plan --measured {shlex.quote(str(MEASURED / 'published_steps.csv'))}")
    assert re.search(r"^Not predicted, \d+ rows: a hybrid with Mamba layers", table, re.MULTILINE)
    assert refused("plan --measured nosuch.csv").startswith("--measured must be a CSV file that can be read, got")
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    assert "--measured must be a file" in refused(f"plan --measured {shlex.quote(str(path))}")


@pytest.mark.parametrize("system", ["megatron", "torchtitan", "deepspeed"])
def test_flags_are_those_of_the_layout(system: str, printed: Any) -> None:
    line = f"plan {THREAD} --why t=4 d=64 zero=3 recompute=full --flags {system}"
    layout = Layout(tensor=4, data=64, stage=3, recompute="full", uneven=True)
    size: dict[str, Any] = {"model": "Llama 3 70B", "sequence": 8192, "batch_sequences": 512, "node": "DGX H100"}
    assert printed(line) == layout_flags(layout, system=system, **size) + "\n"
    again = "--tensor 4 --zero 3 --recompute full"
    assert printed(f"step {THREAD} {again} --flags {system}") == printed(line)


def test_flags_are_those_of_the_first_that_a_system_can_run(printed: Any, asked: Any, refused: Any) -> None:
    """With pipelines alone, DeepSpeed runs none whose ZeRO is 2 or 3, or with chunks."""
    line = f"plan {SMALL} --pipeline 2"
    place = asked(f"{line} --flags deepspeed")["place"]
    assert place > 1
    text = printed(f"{line} --flags deepspeed")
    assert text.startswith(f"# place {place} of the list, the first that it can run; not place 1: ")
    assert text.partition("\n")[2] == printed(f"{line} --why {place} --flags deepspeed")
    assert re.search(r" must be .*, got ", refused(f"{line} --why {place - 1} --flags deepspeed"))
    told = refused(f"{line} --zero 3 --flags deepspeed")
    assert re.match(r"of the best \d+ layouts deepspeed can run none; the first: ", told)


# Limits, models and clusters of one's own.


@pytest.mark.parametrize("typed", ["--tensor 2,4 --zero 1", "--tensor 2 4 --zero 1", "--tensor=2,4 --zero 1 1"])
def test_limits_are_options(typed: str, asked: Any) -> None:
    found = asked(f"plan {SMALL} --top 100 {typed} --free 20%")
    limits = Limits(tensor=(2, 4), stage=(1,), free_share=0.2)
    plans = plan("Llama 3 8B", Cluster(NODES["DGX H100"], nodes=2), tokens_per_step=2e6, sequence=8192, limits=limits)
    assert found["fitting"] == plans.fitting
    assert {one["layout"]["tensor"] for one in found["plans"]} == {2, 4}
    assert found["limit_bytes"] == 64e9


def test_a_model_by_its_widths(asked: Any, tmp_path: Path) -> None:
    widths = "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --vocab 128256"
    named = asked(f"plan {SMALL}")["plans"]
    rest = SMALL.partition("--nodes")[2]
    own = asked(f"plan {widths} --nodes {rest}")["plans"]
    assert own == named
    config = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
    config |= {"num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    assert asked(f"plan --model {shlex.quote(str(path))} --nodes {rest}")["plans"] == named


def test_a_model_with_experts_by_its_widths(values: Any) -> None:
    widths = "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --vocab 32000 --experts 8"
    rest = "--nodes 2 --sequence 4096 --tokens 1e6 --expert 8"
    found = values(f"step {widths} --experts-per-token 2 {rest}")
    named = values(f"step --model 'Mixtral 8x7B' {rest}")
    assert found == named


def test_a_cluster_of_ones_own(asked: Any) -> None:
    """What is listed, typed in, changes nothing; GPUs may be counted in place of nodes, and be a part of one."""
    rest = "--model 'Llama 3 8B' --sequence 8192 --tokens 2e6"
    plain = asked(f"plan {rest} --nodes 2")["plans"]
    assert asked(f"plan {rest} --gpus 16")["plans"] == plain
    assert asked(f"plan {rest} --nodes 2 --device 'DGX H100'")["plans"] == plain
    own = "--memory 80GB --memory-rate 3.35TB/s --peak 989.4TFLOP/s --link 450GB/s --network 400Gb/s --gpus-per-node 8"
    assert asked(f"plan {rest} --nodes 2 {own}")["plans"] == plain
    larger = asked(f"plan {rest} --nodes 2 --memory 141GB")
    assert larger["limit_bytes"] == pytest.approx(0.9 * 141e9)
    assert larger["plans"][0]["step_s"] <= plain[0]["step_s"]
    slower = asked(f"plan {rest} --nodes 2 --network 10GB/s")["plans"][0]
    assert slower["step_s"] > plain[0]["step_s"]
    assert asked(f"plan {rest} --gpus 4")["gpus"] == 4
    assert asked(f"plan {rest} --gpus 128 --device GB200")["gpus"] == 128


def test_a_device_of_which_the_book_has_no_node(asked: Any, refused: Any) -> None:
    rest = "--model 'Llama 3 8B' --nodes 2 --sequence 8192 --tokens 2e6"
    told = refused(f"plan {rest} --device MI300X")
    assert told == "--network-bytes-per-s must be given for MI300X, of which the book has no node"
    assert asked(f"plan {rest} --device MI300X --network 50GB/s")["fitting"] > 0
    alone = rest.replace("--nodes 2", "--gpus 1")
    assert asked(f"plan {alone} --device 'A100 40GB' --model 'Llama 3.2 1B'".replace("--model 'Llama 3 8B' ", ""))[
        "fitting"
    ]


def test_the_share_of_the_peak_can_be_put_in(asked: Any, values: Any) -> None:
    fast, slow = (values(f"step {THREAD} --tensor 8 --pipeline 4 --matmul-share {share}") for share in ("80%", "0.4"))
    assert slow["step"] > 1.5 * fast["step"]
    assert asked(f"plan {SMALL} --matmul-share 70%")["constants"]["matmul_share"] == 0.7


@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"model": OWN_WIDTHS, "experts": "8", "experts_per_token": "2", "width": "8192", "layers": "32"},
        {"node": OWN_NODE, "memory": "141 GB", "port": "200 Gb/s"},
        {"tensor": "2,4", "stage": "1", "recompute": "full", "free": "5%", "matmul_share": "70%"},
    ],
)
def test_what_the_page_says_to_type_can_be_typed(setting: dict[str, str], asked: Any) -> None:
    """The page's command is read, and answers with what the page is asked."""
    read = read_setting(setting)[0]
    assert read is not None
    found = asked(command_of(read).removeprefix("python -m snippets "))
    values = read.values
    assert found["sequence"] == values["sequence"]
    assert found["gpus"] == values["nodes"] * 8
    memory = values["memory"] if values["node"] == OWN_NODE else 80e9
    assert found["limit_bytes"] == pytest.approx((1 - values["free"]) * memory)
    for name in ("tensor", "stage"):
        if values[name] is not None:
            assert {one["layout"][name] for one in found["plans"]} <= {*values[name]}


def test_a_batch_that_the_gpus_cannot_share_is_answered_with_one_that_they_can(printed: Any) -> None:
    line = "plan --model 'Llama 3 70B' --gpus 1000 --sequence 8192 --tokens "
    told = printed(f"{line}64M")
    assert "No layout fits." in told
    instead = re.search(r"8,192 sequences are no multiple of 125, .* --tokens (\d+)\.", told)
    assert instead
    assert re.search(r"^1 +t=", printed(line + instead[1]), re.MULTILINE)


def test_where_nothing_fits_the_nearest_is_named(printed: Any, refused: Any) -> None:
    line = "plan --model 'Llama 3 405B' --nodes 1 --sequence 8192 --tokens 1e6"
    told = printed(line)
    assert "No layout fits." in told
    assert re.search(r"Nearest to fitting: .* does not fit by \d+\.\d GB\.", told)
    assert re.match(r"of [\d,]+ layouts none fits; nearest: ", refused(f"{line} --flags megatron"))
    assert "For example: t = 3: 3 does not divide the 256 GPUs." in printed(f"plan {THREAD} --tensor 3")


# What is refused.


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("plan", "missing: --model, --nodes, --sequence, --tokens; `plan --help` says what they are"),
        ("plan --model 'Llama 3 8B' --gpus 8", "missing: --sequence, --tokens; `plan --help`"),
        ("step --model 'Llama 3 8B' --data 8 --tensor 2", "missing: --sequence, --tokens; `step --help`"),
        ("plan --hidden 64 --gpus 8 --sequence 64 --tokens 64", "missing: --layers, --heads, --feed-forward-width, "),
        (
            "plan --layers 2 --hidden 64 --heads 4 --ffn 64 --vocab 64 --experts 4 --gpus 8 --sequence 64 --tokens 64",
            "missing: --experts-per-token;",
        ),
        (f"plan {THREAD} --hidden 64", "--hidden must be given only without model, got 64"),
        (f"plan {THREAD} --gpus 8", "--gpus must be given only without nodes, got 8"),
        (f"plan {SMALL.replace('--nodes 2', '--gpus 12')}", "--gpus must be a multiple of the 8 of a node, got 12"),
        (f"plan {THREAD} --tensor 1,024", "--tensor must be several numbers; write 1 024 or 1024, got '1,024'"),
        (f"plan {THREAD} --tensor two", "--tensor must be an integer of at least 1, got 'two'"),
        (f"plan {THREAD} --zero 4", "--zero must be one of 0, 1, 2, 3, got 4"),
        (f"plan {THREAD} --recompute all", "--recompute must be one of 'none', 'selective', 'some', 'full', got 'all'"),
        (f"plan {THREAD} --top 1000", "--top must be at most 100, got 1000"),
        (f"plan {THREAD} --why 200", "--why must be a layout, or a place of at most 100, got 200"),
        (f"plan {THREAD} --why t=8 x=4", "--why must name t, p, v, c, d, e, b, zero or recompute, such as t=8 p=4"),
        (f"plan {THREAD} --flags nemo", "--flags must be one of 'Megatron-LM', 'torchtitan', 'DeepSpeed', got 'nemo'"),
        (f"plan {THREAD} --why t=8 p=4 zero=3 --flags deepspeed", "stage must be 0 or 1 for deepspeed 0.19.8 where"),
        (f"plan {THREAD.replace('4e6', '100')}", "--tokens must be at least a sequence of 8192, got 100"),
        (f"plan {THREAD} --batch-size 512", "there is no --batch-size here; did you mean"),
        (f"plan {THREAD} --global-batch-size 512", "there is no --global-batch-size here; did you mean --tokens?"),
        (f"plan {THREAD} --usd 2", "--usd-per-gpu-hour must be given only with --run-tokens, got 2"),
        (f"plan {THREAD} --dtype fp32", "--dtype must be one of 'bf16', 'fp16', 'fp8', 'fp4', got 'fp32'"),
        (f"plan {THREAD} --device H1000", "--device must be a name that there is, such as 'H100 SXM'"),
        (f"plan {THREAD} --matmul-share 70", "--matmul-share must be a number from 0.01 to 1, got 70"),
        (f"plan {THREAD} --modle x", "there is no --modle here; did you mean --model"),
        (f"plan {THREAD.replace('8192', '8k')}", "--sequence must be one number; write 8000 or 8192, got '8k'"),
        (f"plan {THREAD.replace('4e6', 'many')}", "--tokens must be an integer of at least 1, got 'many'"),
        (f"step {THREAD} --tensor 8 --pipeline 3", "--tensor × pipeline × context must divide the 256 GPUs, got 24"),
        (
            f"step {THREAD} --tensor 8 --pipeline 4 --data 4",
            "--data must be the 256 GPUs over tensor × pipeline × context = 32, got 4",
        ),
        (f"step {THREAD} --tensor 16 --pipeline 16 --chunks 7", "layers must be a multiple of stages × chunks = 112"),
        ("plann", "command must be a name that there is, such as 'plan'"),
        ("steps", "'step'"),
    ],
)
def test_a_sentence_says_what_is_wrong(line: str, told: str, refused: Any) -> None:
    assert told in refused(line)


@pytest.mark.parametrize(("typed", "name"), [("Plan", "plan"), ("planner", "plan"), ("STEP", "step")])
def test_the_commands_are_found(typed: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([typed, "--help"]) == 0
    assert f"snippets {name} " in capsys.readouterr().out


def test_the_list_has_plan_as_a_command(asked: Any) -> None:
    found = asked("list plan")
    assert "plan" in {entry["command"] for entry in found["formulas"]}
    assert "plan" not in {entry["command"] for entry in found["left_out"]}


def test_the_thread_is_planned_at_once() -> None:
    """The whole command, Python's start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "snippets", "plan", *shlex.split(THREAD)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stdout.startswith("Llama 3 70B on 256 H100 SXM, 512 sequences")
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < PLAN_S


def test_a_batch_of_few_factors_is_told_of_a_rounder_one(printed: Any) -> None:
    line = "plan --model 'Llama 3 8B' --gpus 64 --sequence 8000 --tokens "
    told = printed(f"{line}4e6")
    found = re.search(r"500 sequences rule out \d+ cuts that 512 may allow: --tokens (\d+)\.", told)
    assert found
    assert "rule out" not in printed(line + found[1])
