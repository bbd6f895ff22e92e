"""Exercise: a layout by a rule of the reader's own, judged by the planner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation

RUNS, MEMORY, TIME = "layout", "memory", "step"
CAN_RUN, FITS = "can run", "fits"
NEAR = 0.1
KEYS = ("tensor", "pipeline", "data", "micro_batch", "stage", "twice")


def nearly_fastest_layout(
    *,
    layers: int,
    hidden: int,
    heads: int,
    key_value_heads: int,
    width: int,
    vocabulary: int,
    nodes: int,
    batch_sequences: int,
    sequence: int,
) -> dict[str, int]:
    """Choose a layout of a model like Llama, whose step is nearly the fastest.

    The machine is a DGX H100: eight GPUs of 80 GB a node, of which 8 GB stay
    free. Large matmuls reach 80% of 989 TFLOP/s; a GPU sends 370 GB/s inside
    its node and 48.5 GB/s to others. A parameter has 16 bytes of state. The
    book's planner predicts your layout, and the fastest of all that you may
    return: yours has to run, to fit, and to take at most 10% longer.

    Args:
        layers: L.
        hidden: h, a multiple of the heads.
        heads: a, of queries.
        key_value_heads: heads of keys.
        width: inner width of the gated feed-forward block, three matrices.
        vocabulary: V; the output head is not the token table.
        nodes: of eight GPUs.
        batch_sequences: sequences of a step, of all GPUs together.
        sequence: s, tokens of each.

    Returns:
        "tensor" t, at most 8, "pipeline" p and "data" d, whose product is the
        number of GPUs; "micro_batch" b; "stage" of ZeRO, 1 or 3; and "twice",
        1 where every layer runs forward twice, else 0. t divides the heads, p
        the layers, d · b the sequences. With t above 1 the tokens between the
        blocks are cut too; stages run 1F1B.

    >>> chosen = nearly_fastest_layout(layers=32, hidden=4096, heads=32,
    ...                        key_value_heads=8, width=14336,
    ...                        vocabulary=128256, nodes=1,
    ...                        batch_sequences=64, sequence=8192)
    >>> chosen["tensor"] * chosen["pipeline"] * chosen["data"]
    8
    """
    of_layers = layers * (2 * hidden**2 * (1 + key_value_heads / heads) + 3 * hidden * width)
    table, shared = vocabulary * hidden, 2 + 2 * key_value_heads / heads
    stages = [p for p in range(1, layers + 1) if layers % p == 0]
    found = []
    for t, p, b, stage, twice in product((1, 2, 4, 8), stages, (1, 2, 4, 8, 16), (1, 3), (0, 1)):
        d = 8 * nodes // (t * p)
        if 8 * nodes % (t * p) or heads % t or sequence % t or batch_sequences % (d * b):
            continue
        m, x = batch_sequences // (d * b), b * sequence
        # memory of the first stage
        own = (of_layers / p + table * (2 if p == 1 else 1)) / t
        unit = of_layers / layers / t  # one layer's weights
        state = own * (4 + 12 / d) if stage == 1 else 16 * own / d + 4 * unit
        whole = x * (8 * hidden + 2 * shared * hidden + 6 * width) / t
        inputs = 2 * x * hidden / t
        again = max(whole if twice else 0, 8 * x * vocabulary / t if p == 1 else 0)
        kept = min(m, p) * layers / p * (inputs if twice else whole) + again
        if state + kept > 72e9:
            continue
        # time: a micro-batch on a stage, what waits, what is paid once
        flops = (6 * (of_layers + table) + 6 * layers * hidden * sequence) * x
        work = flops * (4 / 3 if twice else 1) / (t * p * 0.7 * 989e12)
        half = (t - 1) * (2 * x * hidden / t / 370e9 + 4e-6)
        work += layers / p * half * (9 if twice else 6)
        inside = max(1, 8 // t)
        rate = 370e9 if d <= inside else inside * 48.5e9
        gathers = max(0.0, 6 * own / rate - work) + 4 * unit / rate
        waits = m * gathers if stage == 3 else 4 * unit / rate
        seconds = (m + p - 1) * work + waits
        found.append((seconds, (t, p, d, b, stage, twice)))
    names = ("tensor", "pipeline", "data", "micro_batch", "stage", "twice")
    return dict(zip(names, min(found)[1], strict=True))


# ------------------------------------------------------------------------------------- the judge: the book's planner


def parts(given: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return the model, the cluster and the size of a step; the planner is imported when it is asked."""
    from snippets.composition.configuration_search.clusters import Cluster
    from snippets.models import Attention, FeedForward, Transformer

    model = Transformer(
        name="the exercise's",
        layers=given["layers"],
        hidden=given["hidden"],
        vocabulary=given["vocabulary"],
        attention=Attention(given["heads"], given["key_value_heads"], given["hidden"] // given["heads"]),
        feed_forward=FeedForward(given["width"], gated=True),
    )
    size = {"tokens_per_step": given["batch_sequences"] * given["sequence"], "sequence": given["sequence"]}
    return model, Cluster("DGX H100", nodes=given["nodes"]), size


@cache
def best_s(key: tuple[tuple[str, int], ...]) -> float:
    """Return the step of the fastest layout that may be returned."""
    from snippets.composition.configuration_search.candidates import Limits
    from snippets.composition.configuration_search.planner import plan

    model, cluster, size = parts(dict(key))
    limits = Limits(context=1, chunks=1, stage=(1, 3), recompute=("none", "full"), uneven=False)
    return plan(model, cluster, **size, limits=limits, most=1).best[0].total_s


def planned(answer: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Return the plan of an answer; raise ``ValueError`` where it cannot run."""
    from snippets.composition.configuration_search.planner import layout_plan
    from snippets.composition.layouts import Layout

    model, cluster, size = parts(given)
    if not isinstance(answer, Mapping) or set(answer) != set(KEYS):
        raise ValueError(f"a dict with {', '.join(KEYS)} is wanted")
    t, p, d, b, stage, twice = (answer[name] for name in KEYS)
    if t not in (1, 2, 4, 8) or stage not in (1, 3) or twice not in (0, 1) or given["layers"] % p:
        raise ValueError("t is 1, 2, 4 or 8, the stage 1 or 3, twice 0 or 1, and p divides the layers")
    layout = Layout(
        tensor=t,
        pipeline=p,
        data=d,
        micro_batch=b,
        stage=stage,
        recompute="full" if twice else "none",
        sequence_parallel=t > 1,
    )
    return layout_plan(model, cluster, layout, **size, free_share=0.1)


def wanted(**given: Any) -> Observation:
    return {RUNS: CAN_RUN, MEMORY: FITS, TIME: f"at most 10% above {best_s(key_of(given)):.4g} s"}


def key_of(given: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, int(value)) for name, value in given.items()))


def verdict(answer: Any, given: Mapping[str, Any]) -> Observation:
    """Return what the planner says of an answer."""
    try:
        one = planned(answer, given)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        return {RUNS: f"cannot run: {error}"}
    if not one.fits:
        return {RUNS: CAN_RUN, MEMORY: f"does not fit by {-one.spare_bytes / 1e9:.1f} GB"}
    if one.total_s > (1 + NEAR) * best_s(key_of(given)):
        return {RUNS: CAN_RUN, MEMORY: FITS, TIME: f"{one.total_s:.4g} s"}
    return wanted(**given)


def observe(function: Callable[..., Any], **given: Any) -> Observation:
    """Ask the planner."""
    return verdict(function(**given), given)


# ------------------------------------------------------------------------------------- jobs

MODELS = {
    "1B": (16, 2048, 32, 8, 8192, 128256),
    "8B": (32, 4096, 32, 8, 14336, 128256),
    "13B": (40, 5120, 40, 40, 13824, 32000),
    "34B": (48, 8192, 64, 8, 22016, 32000),
    "70B": (80, 8192, 64, 8, 28672, 128256),
    "180B": (96, 12288, 96, 8, 24576, 128256),
    "405B": (126, 16384, 128, 8, 53248, 128256),
}
NAMES = ("layers", "hidden", "heads", "key_value_heads", "width", "vocabulary")


def job(name: str, nodes: int, batch: int, sequence: int) -> Inputs:
    own = {"nodes": nodes, "batch_sequences": batch, "sequence": sequence}
    return {**dict(zip(NAMES, MODELS[name], strict=True)), **own}


def drawn(chance: Random) -> list[Inputs]:
    """Return jobs of the same models with other batches, and two whose short sequences leave few tokens."""
    found = []
    for _ in range(20):
        name, nodes = chance.choice((("8B", 2), ("8B", 8), ("34B", 8), ("70B", 16), ("70B", 64), ("180B", 64)))
        found.append(job(name, nodes, 8 * nodes * chance.choice((2, 4)), chance.choice((4096, 8192))))
    return [*found, job("34B", 16, 128, 1024), job("70B", 32, 256, 1024)]


def by_rule(t: int, stage: int, *, fits: bool = True) -> Callable[..., dict[str, int]]:
    """Return a rule that cuts always among t ranks: the fewest stages that fit, or only one."""

    def chosen(**given: Any) -> dict[str, int]:
        gpus, layers = 8 * given["nodes"], given["layers"]
        answer = {}
        for p, twice in product([p for p in range(1, layers + 1) if layers % p == 0 and gpus % (t * p) == 0], (0, 1)):
            answer = dict(zip(KEYS, (t, p, gpus // (t * p), 1, stage, twice), strict=True))
            said = verdict(answer, given)
            if not fits or (said[RUNS] == CAN_RUN and said[MEMORY] == FITS):
                return answer
        return answer

    return chosen


def taught() -> str:
    own = job("70B", 32, 512, 8192)
    drawn_by_all = planned(by_rule(8, 1)(**own), own).total_s
    yours, best = planned(nearly_fastest_layout(**own), own).total_s, best_s(key_of(own))
    return (
        f"For the 70B on 256 GPUs the solution's forty lines find a layout of {yours:.3g} s, the planner's best takes "
        f"{best:.3g} s, and t = 8 with the fewest stages that fit {drawn_by_all:.3g} s. A rough model that counts the "
        "memory beats a rule that counts nothing."
    )


EXERCISE = Exercise(
    nearly_fastest_layout,
    number=6,
    level="hard",
    asked="a layout that runs, fits, and is predicted at most 10% slower than the planner's best",
    expected=wanted,
    observe=observe,
    examples=[
        job("8B", 1, 64, 8192),
        job("1B", 1, 64, 4096),
        job("13B", 2, 128, 4096),
        job("34B", 4, 256, 4096),
        job("70B", 8, 256, 8192),
        job("405B", 128, 1024, 8192),
        job("70B", 32, 512, 8192),
    ],
    inputs=[
        job("8B", 4, 256, 8192),
        job("8B", 16, 128, 4096),
        job("13B", 16, 1024, 4096),
        job("34B", 16, 512, 8192),
        job("70B", 16, 256, 4096),
        job("70B", 128, 1024, 8192),
        job("180B", 32, 1024, 4096),
        job("180B", 128, 1536, 8192),
        job("34B", 16, 128, 1024),
        job("70B", 32, 256, 1024),
    ],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "fills_the_node_first",
            "With t = 8 and the fewest stages that fit, every layer waits for its tensor group, whether it needed that "
            "cut or not.",
            by_rule(8, 1),
        ),
        Mistake(
            "never_cuts_a_layer",
            "Full sharding over all GPUs without any cut: where activations don't fit, layers run twice, and where a "
            "GPU has few tokens at a time, the gathers stick out.",
            by_rule(1, 3),
        ),
        Mistake(
            "forgets_the_activations",
            "State alone isn't what a GPU holds: the layers' activations come on top, on the first stage those of p "
            "micro-batches.",
            {"if state + kept > 72e9": "if state > 72e9"},
        ),
        Mistake(
            "forgets_the_state",
            "Activations alone aren't what a GPU holds: weights, gradients and the optimizer's state come on top.",
            {"if state + kept > 72e9": "if kept > 72e9"},
        ),
        Mistake(
            "lets_tensor_groups_wait_for_nothing",
            "The gathers and scatters of a tensor group cost time in every layer and micro-batch.",
            {"half * (9 if twice else 6)": "half * 0"},
        ),
        Mistake(
            "hides_all_gathers",
            "Full sharding gathers every layer for each micro-batch: with few tokens on a GPU the gathers take longer "
            "than the computing that should hide them.",
            {"max(0.0, 6 * own / rate - work)": "0.0"},
        ),
        Mistake(
            "runs_layers_twice_for_nothing",
            "Running every layer forward twice costs a third more. It's worth it only where the activations don't fit.",
            {"(1, 3), (0, 1))": "(1, 3), (1,))"},
        ),
    ],
)
