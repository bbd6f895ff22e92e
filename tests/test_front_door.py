"""The package's front door: what it finds, and what it answers to a wrong name or argument."""

from __future__ import annotations

import ast
import copy
import dataclasses
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import snippets
from snippets import index
from snippets.domain import Catalogue, near_names
from snippets.hardware import ACCELERATORS
from snippets.index import also, explained, find_formula, formula_modules, labelled, listed, unit_end
from snippets.models import MODELS

ROOT = Path(__file__).parents[1]
CATALOGUES = {"MODELS", "ACCELERATORS", "DEVICES", "LINKS", "NODES", "RECIPES", "LOSS_FITS", "HOSTS", "TRAINING_RUNS"}


def modules() -> list[ModuleType]:
    """Return the modules that formulas stand in, imported."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "snippets").rglob("*.py"))}
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in texts if texts[path][:12] == '"""Formulas:'
    ]
    return [importlib.import_module(name) for name in names]


def afresh(code: str) -> str:
    """Return what a Python of its own prints."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout


# What there is.


def test_every_formula_and_every_catalogue_is_found_by_its_name() -> None:
    """The table is made from texts; here the modules are imported and looked at."""
    formulas, catalogues = {}, {}
    for module in modules():
        for name, value in vars(module).items():
            own = getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
            if own and inspect.isfunction(value) and "Formula" in labelled(value):
                formulas[name] = value
            if isinstance(value, Catalogue) and re.search(
                rf"^{name}\b.* = Catalogue\(", inspect.getsource(module), re.M
            ):
                catalogues[name] = value
    assert formulas.keys() == formula_modules().keys()
    for name, function in formulas.items():
        assert inspect.unwrap(getattr(snippets, name)) is function
    assert catalogues.keys() == listed()["Catalogues"].keys()
    assert all(getattr(snippets, name) is value for name, value in catalogues.items())
    assert dir(snippets) == sorted([*formulas, *catalogues])


def test_a_docstring_without_labels_has_a_summary_alone() -> None:
    def described() -> None:
        """Says what it does."""

    assert labelled(described) == {"Summary": "Says what it does."}
    assert labelled(lambda: None) == {"Summary": ""}


def test_catalogues_have_one_pattern_of_names() -> None:
    assert {name for name in CATALOGUES if isinstance(getattr(snippets, name), Catalogue)} == CATALOGUES
    assert all(re.fullmatch(r"[A-Z][A-Z_]*[A-Z]", name) for name in listed()["Catalogues"])
    assert snippets.DEVICES is snippets.ACCELERATORS


def test_records_are_found_and_their_names_are_not_shown() -> None:
    from snippets import Recipe, recipes

    assert Recipe is recipes.Recipe
    assert "Recipe" not in dir(snippets)


@pytest.mark.parametrize("name", listed()["Also"])
def test_what_the_field_calls_a_formula_besides_is_that_formula(name: str) -> None:
    own = also()[name]
    assert getattr(snippets, name) is getattr(snippets, own)
    assert name.isidentifier()
    assert name not in dir(snippets)
    if own in formula_modules():
        words = re.sub(r"[\W_]", "", labelled(getattr(snippets, own))["Also"].casefold().replace("'s", ""))
        spellings = (name, name.removesuffix(f"_{unit_end(own)}"))
        assert any(spelling.replace("_", "") in words for spelling in spellings)


# Nothing before it is asked for.


def test_the_package_imports_nothing_before_it_is_asked() -> None:
    said = afresh("""
        import sys
        before = set(sys.modules)
        import snippets
        print(sorted(set(sys.modules) - before))
        from snippets import ring_all_reduce_bytes
        print(sorted(name for name in sys.modules if name.startswith("snippets.")), "numpy" in sys.modules)
    """)
    first, second = said.splitlines()
    assert ast.literal_eval(first) == ["snippets"]
    own = ["door", "domain", "index", "all_reduce", "simulation", "simulation.double_tree"]
    assert second == f"{sorted(f'snippets.{name}' for name in own)} False"


def test_submodules_are_imported_as_ever() -> None:
    afresh("""
        from snippets import palette, memory
        from snippets.memory import zero
        import snippets.memory.zero.formulas as formulas
        from snippets import ring_all_reduce_bytes, palette as colours
        assert colours is palette and palette.RANKS == 8 and zero.formulas is formulas
        import snippets
        assert hasattr(snippets, "palette") and not hasattr(snippets, "tables") and not hasattr(snippets, "nothing")
    """)


# What it answers.


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("zero_bytes_per_param", "zero_bytes_per_parameter"),
        ("ring_all_reduce", "ring_all_reduce_time_s"),  # in bytes or in seconds
        ("peak_activations_1f1b", "one_f_one_b_peak_activations"),
        ("zero_state_memory", "zero_state_bytes"),
        ("rabenseifner", "halving_doubling_all_reduce_time_s"),
        ("MODELLS", "MODELS"),
        ("ulysses_attention_bytes", "ulysses_exchange_bytes"),
    ],
)
def test_a_wrong_name_is_answered_with_the_near_ones(name: str, near: str) -> None:
    with pytest.raises(AttributeError, match=rf"^module 'snippets' has no attribute '{name}'; near: .*\b{near}\b"):
        getattr(snippets, name)
    with pytest.raises(ImportError, match=rf"^cannot import name '{name}' from 'snippets'; near: .*\b{near}\b"):
        exec(f"from snippets import {name}")


def test_a_name_near_none_is_answered_with_where_the_names_are() -> None:
    with pytest.raises(
        ImportError, match=r"cannot import name 'xyzzy' from 'snippets'; dir\(snippets\) has all names$"
    ):
        exec("from snippets import xyzzy")
    assert not hasattr(snippets, "__path_of_nothing__")


def test_what_python_asks_is_not_answered_with_names() -> None:
    with pytest.raises(AttributeError, match=r"^module 'snippets' has no attribute '__wrapped__'$"):
        getattr(snippets, "__wrapped__")  # noqa: B009 - mypy knows that there is none


def test_mfu_by_tokens_a_second_is_another_formula() -> None:
    with pytest.raises(TypeError, match=r"'tokens_per_s'; training_utilization has; call training_utilization\("):
        find_formula("mfu")(tokens_per_s=9000, parameters=8e9)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("memory", "Accelerator has no 'memory'; near: memory_bytes, memory_printed, memory_bandwidth_bytes_per_s"),
        ("bandwidth", "Accelerator has no 'bandwidth'; near: memory_bandwidth_bytes_per_s"),
        ("flops", "Accelerator has no 'flops'; it has name, maker, peaks, memory_bytes"),
    ],
)
def test_a_record_answers_a_field_that_it_has_not(name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(said)):
        getattr(ACCELERATORS["H100"], name)


def test_a_record_says_which_fields_it_needs_and_can_be_copied() -> None:
    model: Any = type(MODELS["GPT-2 124M"])
    with pytest.raises(TypeError, match="Transformer has no field 'num_layers'; near: layers"):
        model("mine", num_layers=12)
    with pytest.raises(TypeError, match="Transformer needs hidden, vocabulary, attention, feed_forward; its fields"):
        model("mine", 12)
    for copied in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), dataclasses.replace):
        assert copied(MODELS["GPT-2 124M"]) == MODELS["GPT-2 124M"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda f: f(rank=8, size_bytes=1),
            "has no argument 'rank'; near: ranks; call ring_all_reduce_bytes(ranks=…, size_bytes=…)",
        ),
        (lambda f: f(8, 1), "ring_all_reduce_bytes takes ranks, size_bytes by name; call "),
        (lambda f: f(ranks=8), "ring_all_reduce_bytes needs size_bytes; call "),
        (lambda f: f(), "ring_all_reduce_bytes needs ranks, size_bytes; call "),
        (lambda f: f(tp=8, size_bytes=1), "has no argument 'tp'; call "),
        (lambda f: f(ranks=8, gpus=8, size_bytes=1), "has no argument 'gpus'; "),
    ],
)
@pytest.mark.parametrize(
    "found", [lambda: snippets.ring_all_reduce_bytes, lambda: find_formula("ring all-reduce bytes")]
)
def test_a_wrong_argument_is_answered_with_those_that_there_are(
    found: Callable[[], Any], call: Callable[[Any], Any], said: str
) -> None:
    with pytest.raises(TypeError) as caught:
        call(found())
    assert said in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_a_wrong_name_is_answered_with_a_call_of_the_nearest() -> None:
    with pytest.raises(ImportError, match=r"near: parameter_count, .*; call parameter_count\(model\)$"):
        exec("from snippets import param_count")


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("ring_allreduce_bytes", "ring_all_reduce_bytes"),
        ("training_time", "training_time_s"),
        ("cluster_mtbf", "cluster_mtbf_s"),
        ("GPUS", "ACCELERATORS"),
    ],
)
def test_a_name_is_found_in_another_spelling_and_without_its_unit(name: str, own: str) -> None:
    assert getattr(snippets, name) is getattr(snippets, own)


def test_another_word_for_an_argument_is_taken_where_it_means_the_same() -> None:
    names = {name for name, _ in index.formula_modules().items()}
    taken = {key for name in names for key in inspect.signature(find_formula(name)).parameters}
    assert index.SAME_ARGUMENT.keys() <= taken
    assert not {word for words in index.SAME_ARGUMENT.values() for word in words} & taken
    anyhow: Any = snippets
    assert anyhow.pipeline_bubble(stages=8, MicroBatches=32) == anyhow.pipeline_bubble(stages=8, micro_batches=32)
    assert anyhow.ring_all_reduce_bytes(gpus=8, num_bytes=800) == 1400


def test_a_value_given_twice_is_answered_too() -> None:
    with pytest.raises(
        TypeError, match=r"zero_state_bytes got multiple values for argument 'parameters'; call zero_state_"
    ):
        snippets.zero_state_bytes(7e9, parameters=7e9, ranks=1, stage=0)  # type: ignore[misc]


def test_the_defaults_stand_in_the_answer() -> None:
    with pytest.raises(TypeError, match=r"call zero_bytes_per_parameter\(ranks=…, stage=…, recipe='mixed-adam'\)$"):
        snippets.zero_bytes_per_parameter(ranks=8)  # type: ignore[call-arg]


def test_an_error_of_the_function_itself_is_its_own() -> None:
    def breaks(*, ranks: int) -> int:
        return ranks + "text"  # type: ignore[operator]

    with pytest.raises(TypeError, match="unsupported operand"):
        explained(breaks)(ranks=1)
    with pytest.raises(ValueError, match="ranks must be an integer of at least 1, got 0"):
        snippets.ring_all_reduce_bytes(ranks=0, size_bytes=1)


# What is found is still the formula.


def test_a_formula_from_the_door_is_one_object_with_signature_source_and_pickle() -> None:
    from snippets import all_reduce, ring_all_reduce_bytes

    own = all_reduce.ring_all_reduce_bytes
    assert ring_all_reduce_bytes is snippets.ring_all_reduce_bytes is find_formula("ring_all_reduce_bytes")
    assert inspect.signature(ring_all_reduce_bytes) == inspect.signature(own)
    assert inspect.getsource(ring_all_reduce_bytes) == inspect.getsource(own)
    assert ring_all_reduce_bytes.__doc__ == own.__doc__
    assert pickle.loads(pickle.dumps(ring_all_reduce_bytes)) is ring_all_reduce_bytes
    assert not hasattr(own, "__wrapped__")


def test_the_door_costs_a_call_little() -> None:
    from snippets import all_reduce

    def seconds(function: Callable[..., Any]) -> float:
        start = time.perf_counter()
        for _ in range(10**4):
            function(ranks=8, size_bytes=1e9)
        return time.perf_counter() - start

    pairs = [(seconds(snippets.ring_all_reduce_bytes), seconds(all_reduce.ring_all_reduce_bytes)) for _ in range(7)]
    assert min(with_door - without for with_door, without in pairs) < 10**4 * 2e-6


def test_near_names_are_few_and_the_best_come_first() -> None:
    names = [f"size_{number}_bytes" for number in range(40)] + ["zero_state_bytes"]
    assert near_names("zero_memory_bytes", names)[0] == "zero_state_bytes"
    assert len(near_names("bytes_of_a_size", names)) <= 5


def test_type_checkers_know_the_names(tmp_path: Path) -> None:
    from mypy import api

    path = tmp_path / "caller.py"
    path.write_text(
        "from snippets import MODELS, mfu, palette, zero_state_bytes\n"
        "reveal_type(zero_state_bytes(7e9, ranks=8, stage=3))\nreveal_type(MODELS['GPT-2 124M'])\nreveal_type(mfu)\n"
    )
    said, _, status = api.run([str(path), "--cache-dir", str(ROOT / ".mypy_cache"), "--no-incremental"])
    assert status == 0, said
    assert re.findall(r'Revealed type is "([\w.]+)', said) == [
        "snippets.recipes.StateBytes",
        "snippets.models.Transformer",
        "def",
    ]


# As a first-time caller would: names of the field alone, written down before anything was looked up.

FIRST_GUESSES = {
    "mfu": "flops_utilization",
    "ulysses_bytes": "ulysses_exchange_bytes",
    "ring_attention_bytes": "ring_attention_forward_bytes",
    "critical_batch_size": "language_critical_batch",
    "compute_optimal_parameters": "compute_optimal_parameters",
    "dropped_tokens": "expected_drop_share",
    "training_cost_usd": "training_bill_usd",
    "chinchilla_loss": "surface_loss_nats",
    "arithmetic_intensity": "gemm_arithmetic_intensity",
    "mttf_s": "cluster_mtbf_s",
    "ring_all_reduce_bytes": "ring_all_reduce_bytes",
    "ring_all_reduce_time_s": "ring_all_reduce_time_s",
    "training_flops": "training_flops",
    "zero_memory_bytes": "zero_state_bytes",
    "activation_memory_bytes": "layer_activation_bytes",
    "pipeline_bubble_share": "one_f_one_b_bubble_share",
    "one_f_one_b_peak_activations": "one_f_one_b_peak_activations",
    "young_interval_s": "best_checkpoint_interval_s",
    "chinchilla_optimal_tokens": "compute_optimal_tokens",
    "roofline_time_s": "roofline_time_s",
    "fat_tree_bisection_bandwidth": "fat_tree_bisection_bytes_per_s",
    "alpha_beta_time_s": "message_time_s",
    "tokens_to_hide_all_reduce": "tokens_to_hide_all_reduce",
}
NEAR_GUESSES = {
    "offload_time_s": "offloaded_update_step_s",
    "zero_stage_3_bytes": "zero_state_bytes",
    "allreduce_bytes": "ring_all_reduce_bytes",
    "optimal_checkpoint_interval_seconds": "best_checkpoint_interval_s",
    "moe_capacity": "expert_capacity",
    "critical_batch_tokens": "language_critical_batch",
}


@pytest.mark.parametrize("guess", FIRST_GUESSES)
def test_a_name_of_the_field_finds_its_formula(guess: str) -> None:
    assert getattr(snippets, guess).__name__ == FIRST_GUESSES[guess]
    assert find_formula(guess.replace("_", " ")) is getattr(snippets, guess)


@pytest.mark.parametrize("guess", NEAR_GUESSES)
def test_a_name_like_it_is_answered_with_the_formula(guess: str) -> None:
    with pytest.raises(AttributeError, match=rf"; near: (.*, )?{NEAR_GUESSES[guess]}(,|;|$)"):
        getattr(snippets, guess)
