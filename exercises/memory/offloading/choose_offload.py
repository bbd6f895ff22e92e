"""Exercise: what to offload so that a step fits and is as short as it can be, judged by a simulated step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from grader.choices import Choice
from grader.exercise import Exercise, Inputs, Mistake
from snippets.memory.offloading.timeline import offloaded_step

STATES = ("optimizer", "weights", "activations")
CHOICES = (
    (),
    ("activations",),
    ("optimizer",),
    ("optimizer", "activations"),
    ("optimizer", "weights"),
    ("optimizer", "weights", "activations"),
)


def choose_offload(
    *,
    layers: int,
    layer_parameters: int,
    tokens: int,
    activation_bytes: int,
    memory_bytes: int,
    flops_per_s: int,
    link_bytes_per_s: int,
    host_bytes_per_s: int,
) -> list[str] | None:
    """Choose what to offload: it must fit, and the step must be shortest.

    ``offloaded_step(layers=…, forward_s=…, backward_s=…, …)`` simulates a
    step; its ``end_s`` is how long it takes. Give it the seconds of a layer in
    what is offloaded, and leave the others out:

    - "optimizer": gradients_s and new_weights_s, 2 bytes a parameter each over
      the link, and update_s, 28 bytes a parameter in the host's memory;
    - "weights", only together with "optimizer": weights_s, 2 bytes a
      parameter, the time of one fetch (the simulator fetches for the forward
      and for the backward pass); then no new_weights_s, because the next
      fetch brings them;
    - "activations": activations_s, one way.

    The GPU holds, of what is not offloaded, all layers: 2 bytes a parameter of
    weights, 14 of gradient and optimizer state, and activation_bytes. Of what
    is offloaded, keep room for two layers, even if the step never has both: 2
    bytes a parameter of weights, 2 of gradient (no optimizer state), and
    activation_bytes.

    Args:
        layers: at least 3.
        layer_parameters: of each layer.
        tokens: of the step. A forward pass takes 2 operations for each token
            and parameter, a backward pass 4.
        activation_bytes: what one layer keeps for its backward pass, of all
            tokens.
        memory_bytes: of the GPU; all of it may be used.
        flops_per_s: speed of the GPU.
        link_bytes_per_s: of the link to the host, in each direction.
        host_bytes_per_s: of the host's memory.

    Returns:
        A list of what is offloaded, empty if nothing is. If several are
        shortest, any of them. ``None`` if nothing fits.

    >>> choose_offload(
    ...     layers=3, layer_parameters=10, tokens=20, activation_bytes=1,
    ...     memory_bytes=200, flops_per_s=100, link_bytes_per_s=20,
    ...     host_bytes_per_s=90,
    ... )
    ['optimizer']
    """
    found = []
    for choice in [
        [],
        ["activations"],
        ["optimizer"],
        ["optimizer", "activations"],
        ["optimizer", "weights"],
        ["optimizer", "weights", "activations"],
    ]:
        away = set(choice)
        held = 2 * layer_parameters * (2 if "weights" in away else layers)
        held += activation_bytes * (2 if "activations" in away else layers)
        held += layer_parameters * (4 if "optimizer" in away else 14 * layers)
        forward_s = 2 * layer_parameters * tokens / flops_per_s
        seconds: dict[str, Any] = {"forward_s": forward_s, "backward_s": 2 * forward_s}
        weights_s = 2 * layer_parameters / link_bytes_per_s
        if "optimizer" in away:
            seconds["gradients_s"] = seconds["new_weights_s"] = weights_s
            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s
        if "weights" in away:
            seconds["weights_s"] = weights_s
            seconds["new_weights_s"] = 0
        if "activations" in away:
            seconds["activations_s"] = activation_bytes / link_bytes_per_s
        if held <= memory_bytes:
            step = offloaded_step(layers=layers, **seconds)
            found.append((step.end_s, len(choice), choice))
    return min(found)[2] if found else None


Chosen = tuple[str, ...]


def seconds_of(choice: Chosen, inputs: Inputs) -> dict[str, float]:
    """Return the times of a layer: what the GPU computes, and what comes and goes."""
    optimizer, weights, activations = (state in choice for state in STATES)
    parameters, link = inputs["layer_parameters"], inputs["link_bytes_per_s"]
    return {
        "forward_s": 2 * parameters * inputs["tokens"] / inputs["flops_per_s"],
        "backward_s": 4 * parameters * inputs["tokens"] / inputs["flops_per_s"],
        "gradients_s": 2 * parameters / link * optimizer,
        "update_s": 28 * parameters / inputs["host_bytes_per_s"] * optimizer,
        "new_weights_s": 2 * parameters / link * (optimizer and not weights),
        "weights_s": 2 * parameters / link * weights,
        "activations_s": inputs["activation_bytes"] / link * activations,
    }


@cache
def end_s(layers: int, **seconds: Any) -> float:
    """Simulate a step; many inputs differ in their memory alone."""
    return float(offloaded_step(layers=layers, **seconds).end_s)


def held_bytes(choice: Chosen, inputs: Inputs, *, coming: int = 2, gradients_leave: bool = True) -> int:
    """Return what the GPU holds, of what is offloaded only the layers that come or go."""
    of_a_layer = {
        "weights": 2 * inputs["layer_parameters"],
        "gradients": 2 * inputs["layer_parameters"],
        "state": 12 * inputs["layer_parameters"],
        "activations": inputs["activation_bytes"],
    }
    held_layers = dict.fromkeys(of_a_layer, inputs["layers"])
    if "optimizer" in choice:
        held_layers |= {"gradients": coming if gradients_leave else inputs["layers"], "state": 0}
    if "weights" in choice:
        held_layers["weights"] = coming
    if "activations" in choice:
        held_layers["activations"] = coming
    return sum(of_a_layer[kind] * held_layers[kind] for kind in of_a_layer)


def judged(choice: Chosen, inputs: Inputs) -> tuple[int, float]:
    """Return what the GPU holds, and how long the step takes."""
    return held_bytes(choice, inputs), end_s(inputs["layers"], **seconds_of(choice, inputs))


def least_s(inputs: Inputs) -> float | None:
    """Return the length of the shortest step that fits."""
    ends = [judged(choice, inputs) for choice in CHOICES]
    return min((end for held, end in ends if held <= inputs["memory_bytes"]), default=None)


def any_shortest(**inputs: Any) -> str | None:
    return None if least_s(inputs) is None else "one that fits, with the shortest step"


def fault(chosen: Sequence[Any], **inputs: Any) -> str:
    """Say whether the choice fits, and how much longer its step is than the shortest."""
    states = [str(state) for state in chosen]
    choice = tuple(state for state in STATES if state in states)
    said = ", ".join(states) or "nothing"
    if sorted(choice) != sorted(states):
        return f"{said}: each must be one of {', '.join(STATES)}, and stand there once"
    if choice not in CHOICES:
        return f"{said}: weights go only together with the optimizer's state"
    held, end_s = judged(choice, inputs)
    best = least_s(inputs)
    if held > inputs["memory_bytes"]:
        over = held - inputs["memory_bytes"]
        return f"{said} offloaded: {over:,} {'byte' if over == 1 else 'bytes'} too many"
    if best is not None and end_s > best * (1 + 1e-9):
        return f"{said} offloaded: {end_s - best:.4g} s longer than the shortest that fits"
    return ""


def case(**changes: int) -> Inputs:
    smallest = {
        "layers": 3,
        "layer_parameters": 10,
        "tokens": 20,
        "activation_bytes": 1,
        "memory_bytes": 200,
        "flops_per_s": 100,
        "link_bytes_per_s": 20,
        "host_bytes_per_s": 90,
    }
    return smallest | changes


LLAMA = case(
    layers=32,
    layer_parameters=218_112_000,
    tokens=10_240,
    activation_bytes=41 * 4096 * 10_240,
    memory_bytes=63_000_000_000,
    flops_per_s=494_700_000_000_000,
    link_bytes_per_s=63_015_384_615,
    host_bytes_per_s=307_200_000_000,
)
"""The solution's own numbers: a layer of Llama 3 8B keeps 41 bytes for each token and channel, as in chapter 21."""


def close(
    layers: int, layer_parameters: int, tokens: int, activation_bytes: int, link_bytes_per_s: int, host_bytes_per_s: int
) -> Inputs:
    """Return an input whose choices take nearly the same time, or exactly the same."""
    return case(
        layers=layers,
        layer_parameters=layer_parameters,
        tokens=tokens,
        activation_bytes=activation_bytes,
        flops_per_s=10_000,
        link_bytes_per_s=100 * link_bytes_per_s,
        host_bytes_per_s=100 * host_bytes_per_s,
    )


MANY_LAYERS = case(
    layers=32,
    layer_parameters=17,
    tokens=16,
    activation_bytes=155,
    memory_bytes=10_502,
    flops_per_s=10_000,
    link_bytes_per_s=2_679,
    host_bytes_per_s=38_987,
)
"""A step of eight such layers is shortest with activations away, one of all 32 with the optimizer's state."""

SPEEDS = ("flops_per_s", "link_bytes_per_s", "host_bytes_per_s")

CLOSE = (
    (4, 27, 29, 373, 17, 117),
    (3, 19, 5, 75, 39, 461),
    (5, 14, 6, 85, 5, 547),
    (5, 18, 12, 160, 14, 38),
    (6, 13, 4, 26, 23, 375),
    (3, 28, 6, 326, 51, 214),
    (3, 13, 29, 136, 10, 69),
    (4, 23, 1, 243, 75, 94),
)


def on_the_edges(inputs: Inputs) -> list[Inputs]:
    """Return the input with just the memory that each choice needs, and a byte less."""
    needs = {judged(choice, inputs)[0] for choice in CHOICES}
    return [inputs | {"memory_bytes": need - less} for need in sorted(needs) for less in (0, 1)]


def by_rule(
    *,
    spare: int = 0,
    times: Callable[[dict[str, float]], dict[str, float]] = lambda seconds: {},
    **held: Any,
) -> Callable[..., bool]:
    """Return what judges a choice with a slip: bytes left free, times of its own, or in what is held."""

    def accepts(chosen: Sequence[str] | None, **inputs: Any) -> bool:
        def taken_s(choice: Chosen) -> float:
            seconds = seconds_of(choice, inputs)
            return end_s(inputs["layers"], **seconds | times(seconds))

        fits = [one for one in CHOICES if held_bytes(one, inputs, **held) + spare <= inputs["memory_bytes"]]
        if chosen is None or not fits:
            return chosen is None and not fits
        choice = tuple(state for state in STATES if state in chosen)
        return choice in fits and taken_s(choice) <= min(map(taken_s, fits)) * (1 + 1e-9)

    return accepts


CHOICE = Choice("choice", any_shortest, fault)


def taught() -> str:
    chosen = tuple(state for state in STATES if state in (choose_offload(**LLAMA) or ()))
    (held, best_s), (less, longer_s) = (judged(choice, LLAMA) for choice in (chosen, ("optimizer", "activations")))
    seconds = seconds_of(("optimizer", "activations"), LLAMA)
    return (
        f"On the machine of the statement {' and '.join(chosen)} leave: {held / 1e9:.1f} GB and {best_s:.3f} s. "
        f"Activations in place of the weights would hold {less / 1e9:.1f} GB, and a step takes {longer_s:.3f} s: "
        f"a layer's take {seconds['activations_s'] * 1e3:.0f} ms on the link and its forward pass only "
        f"{seconds['forward_s'] * 1e3:.0f} ms, so the GPU waits, and new weights wait on the link behind them."
    )


INPUTS: list[Inputs] = [
    *on_the_edges(case()),
    *on_the_edges(case(activation_bytes=200, tokens=5)),
    *on_the_edges(case(layers=4, activation_bytes=90, tokens=3, host_bytes_per_s=500)),
    *on_the_edges(case(layers=5, activation_bytes=35, tokens=9, link_bytes_per_s=9, host_bytes_per_s=200)),
    *on_the_edges(case(layers=6, layer_parameters=7, tokens=40, activation_bytes=160, link_bytes_per_s=60)),
    *(one for times in CLOSE for one in on_the_edges(close(*times))),
    MANY_LAYERS,
    MANY_LAYERS | {speed: 1000 * MANY_LAYERS[speed] for speed in SPEEDS},
    *({**LLAMA, "memory_bytes": judged(("optimizer",), LLAMA)[0] - less} for less in (0, 1)),
]


def drawn(chance: Random) -> list[Inputs]:
    """Return the book's steps, and others whose choices take similar times, with just the memory that each needs."""
    steps = [
        one
        for _ in range(8)
        for one in on_the_edges(
            close(
                chance.randint(3, 6),
                chance.randint(10, 30),
                chance.randint(1, 30),
                chance.randint(20, 400),
                chance.randint(5, 80),
                chance.randint(30, 600),
            )
        )
    ]
    return [*INPUTS, *steps]


EXERCISE = Exercise(
    choose_offload,
    number=4,
    level="hard",
    asked="what to offload, so that it fits and the step is shortest",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    any_order=True,
    examples=[
        case(),
        case(activation_bytes=100, memory_bytes=750),
        case(memory_bytes=40),
        case(memory_bytes=1000),
        case(activation_bytes=150, memory_bytes=420),
        LLAMA,
    ],
    inputs=INPUTS,
    drawn=drawn,
    given=("offloaded_step",),
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_first_that_fits",
            "This fits, but another choice that fits has a shorter step: compare the `end_s` of all that fit.",
            {"min(found)[2]": "found[0][2]"},
        ),
        Mistake(
            "leaves_a_byte_free",
            "All of the memory may be used: what needs just as much as there is fits.",
            {"if held <= memory_bytes:": "if held < memory_bytes:"},
            accepts=by_rule(spare=1),
        ),
        Mistake(
            "holds_nothing_of_what_left",
            "Of what is offloaded the GPU still holds two layers: the one at work, and one that comes or goes.",
            {
                '(2 if "weights" in away': '(0 if "weights" in away',
                '(2 if "activations" in away': '(0 if "activations" in away',
                '(4 if "optimizer" in away': '(0 if "optimizer" in away',
            },
            accepts=by_rule(coming=0),
        ),
        Mistake(
            "keeps_the_gradients",
            "With the optimizer's state the gradients leave too, but for those of two layers.",
            {'(4 if "optimizer" in away': '(2 * layers if "optimizer" in away'},
            accepts=by_rule(gradients_leave=False),
        ),
        Mistake(
            "forgets_the_update",
            "The host's update takes time too: 28 bytes a parameter in its memory.",
            {'            seconds["update_s"] = 28 * layer_parameters / host_bytes_per_s\n': ""},
            accepts=by_rule(times=lambda seconds: {"update_s": 0.0}),
        ),
        Mistake(
            "keeps_the_new_weights_way",
            "With the weights away, the next fetch brings the new ones: there is no new_weights_s.",
            {'            seconds["new_weights_s"] = 0\n': ""},
            accepts=by_rule(times=lambda seconds: {"new_weights_s": seconds["gradients_s"]}),
        ),
        Mistake(
            "forgets_the_new_weights",
            "With the optimizer's state away, new weights have to come up: new_weights_s.",
            {'seconds["gradients_s"] = seconds["new_weights_s"] = weights_s': 'seconds["gradients_s"] = weights_s'},
            accepts=by_rule(times=lambda seconds: {"new_weights_s": 0.0}),
        ),
        Mistake(
            "forgets_the_fetch",
            "With the weights away, a layer's weights are fetched before its passes: weights_s.",
            {
                'seconds["weights_s"] = weights_s': 'seconds["new_weights_s"] = weights_s',
                '            seconds["new_weights_s"] = 0\n': "",
            },
            accepts=by_rule(times=lambda seconds: {"weights_s": 0.0, "new_weights_s": seconds["gradients_s"]}),
        ),
        Mistake(
            "counts_both_fetches",
            "weights_s is the time of one fetch: the simulator itself fetches a layer's weights twice.",
            {'seconds["weights_s"] = weights_s': 'seconds["weights_s"] = 2 * weights_s'},
            accepts=by_rule(times=lambda seconds: {"weights_s": 2 * seconds["weights_s"]}),
        ),
        Mistake(
            "follows_the_chapters_order",
            "Optimizer, then weights, then activations is the usual order, not always the shortest step: compare all.",
            {
                '        ["activations"],\n': "",
                '        ["optimizer", "activations"],\n': "",
                "min(found)[2]": "found[0][2]",
            },
        ),
        Mistake(
            "offloads_the_fewest",
            "What offloads least need not take the shortest step: compare the times first.",
            {"(step.end_s, len(choice), choice)": "(len(choice), step.end_s, choice)"},
        ),
        Mistake("fits_one_input", "This is right for one input only.", lambda **_: ["optimizer"]),
    ],
)
