"""Exercise: what a sharded run sends in 8 bits: weights, gradients, both or neither."""

from __future__ import annotations

from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def which_in_8_bits(
    *,
    forward_ms: float,
    gather_ms: float,
    reduce_ms: float,
    rounding_ms: float,
) -> tuple[int, int]:
    """Choose the bits of weights and gradients with which a layer is fastest.

    In the forward pass the network gathers weights while the GPU computes.
    In the backward pass, which recomputes and takes the GPU three times as
    long, it gathers weights and reduces gradients. Each pass takes as long
    as the slower of GPU and network. Eight bits halve a gather or a
    reduction. Each of the two that travels in 8 bits costs two roundings a
    layer, on top of everything else.

    Args:
        forward_ms: a layer's forward pass.
        gather_ms: a gather of its weights in 16 bits.
        reduce_ms: a reduction of its gradients in 16 bits.
        rounding_ms: rounding or restoring an array once.

    Returns:
        The bits of the weights and those of the gradients, 16 or 8. Of
        equally fast choices the one with more bits in all; of those the
        one with 8 bits for the weights.

    >>> which_in_8_bits(forward_ms=1, gather_ms=2, reduce_ms=0.5, rounding_ms=0)
    (8, 16)
    """
    found = []
    for weights in (16, 8):
        for gradients in (16, 8):
            gather = gather_ms * weights / 16
            reduce = reduce_ms * gradients / 16
            forward = max(forward_ms, gather)
            backward = max(3 * forward_ms, gather + reduce)
            rounded = (weights == 8) + (gradients == 8)
            layer = forward + backward + 2 * rounding_ms * rounded
            found.append((layer, rounded, weights, gradients))
    _, _, weights, gradients = min(found)
    return weights, gradients


def layer_ms(
    weights: int, gradients: int, *, forward_ms: float, gather_ms: float, reduce_ms: float, rounding_ms: float
) -> float:
    """Let many layers follow each other on two clocks, GPU and network, and return what one of them takes.

    A pass begins when both the GPU and the network have ended the one before.
    """
    gpu = network = 0.0
    layers = 64
    works = []
    works += [(forward_ms, [(gather_ms, weights)])] * layers
    works += [(3 * forward_ms, [(gather_ms, weights), (reduce_ms, gradients)])] * layers
    for compute, transfers in works:
        gpu = network = max(gpu, network)
        gpu += compute
        for time, bits in transfers:
            network += time if bits == 16 else time / 2
    end = max(gpu, network)
    for bits in (weights, gradients):
        if bits == 8:
            end += layers * rounding_ms + layers * rounding_ms
    return end / layers


def fastest(*, forward_ms: float, gather_ms: float, reduce_ms: float, rounding_ms: float) -> tuple[int, int]:
    """Run all four choices; keep the first that no later one beats, in the order of preference."""
    best = (16, 16)
    given: dict[str, Any] = {
        "forward_ms": forward_ms,
        "gather_ms": gather_ms,
        "reduce_ms": reduce_ms,
        "rounding_ms": rounding_ms,
    }
    least = layer_ms(*best, **given)
    for choice in ((8, 16), (16, 8), (8, 8)):
        time = layer_ms(*choice, **given)
        if time < least - 1e-9:
            best, least = choice, time
    return best


def _weights_first(**given: float) -> tuple[int, int]:
    weights = 8 if layer_ms(8, 16, **given) < layer_ms(16, 16, **given) else 16
    return weights, 8 if layer_ms(weights, 8, **given) < layer_ms(weights, 16, **given) else 16


def _gradients_first(**given: float) -> tuple[int, int]:
    gradients = 8 if layer_ms(16, 8, **given) < layer_ms(16, 16, **given) else 16
    return 8 if layer_ms(8, gradients, **given) < layer_ms(16, gradients, **given) else 16, gradients


run_of = inputs_for(which_in_8_bits)
OWN = run_of(22.5, 45.25, 45.25, 1.0)


def taught() -> str:
    weights, gradients = which_in_8_bits(**OWN)
    best, whole = layer_ms(weights, gradients, **OWN), layer_ms(16, 16, **OWN)
    return (
        f"Weights in {weights} bits and gradients in {gradients}: {best:.0f} ms for a layer, where 16 bits take "
        f"{whole:.0f}. That is {100 * (1 - best / whole):.0f}% of the bill."
    )


INPUTS: list[Inputs] = [
    run_of(f, g, r, q)
    for f, g, r, q in (
        (22.5, 45.25, 45.25, 1.0),
        (22.5, 11.25, 11.25, 1.0),
        (22.5, 11.25, 11.25, 0.0),
        (22.5, 22.5, 22.5, 0.0),
        (22.5, 22.75, 22.5, 0.0),
        (22.5, 22.5, 22.75, 0.0),
        (10.0, 8.0, 30.0, 1.0),
        (10.0, 8.0, 30.0, 8.0),
        (10.0, 20.0, 4.0, 1.0),
        (10.0, 24.0, 24.0, 0.0),
        (10.0, 24.0, 24.0, 5.0),
        (10.0, 24.0, 24.0, 9.0),
        (10.0, 24.0, 24.0, 13.0),
        (10.0, 40.0, 8.0, 3.0),
        (10.0, 12.0, 10.0, 0.5),
        (10.0, 12.0, 10.0, 1.0),
        (10.0, 12.0, 10.0, 2.0),
        (10.0, 10.0, 14.0, 1.0),
        (10.0, 10.0, 14.0, 2.0),
        (10.0, 10.0, 14.0, 2.5),
        (10.0, 16.0, 16.0, 4.0),
        (10.0, 16.0, 16.0, 6.0),
        (10.0, 0.0, 60.0, 1.0),
        (10.0, 60.0, 0.0, 1.0),
        (0.0, 4.0, 8.0, 2.0),
        (0.0, 4.0, 16.0, 4.0),
        (0.0, 4.0, 8.0, 1.0),
        (0.0, 2.0, 4.0, 0.5),
        (4.0, 16.0, 24.0, 5.0),
        (4.0, 16.0, 24.0, 3.0),
        (8.0, 4.0, 20.0, 1.0),
        (8.0, 4.0, 20.0, 2.0),
        (8.0, 6.0, 13.0, 1.0),
        (8.0, 14.0, 6.0, 2.0),
        (1000.0, 2000.0, 2000.0, 16.0),
        (10.0, 10.0, 10.0, 0.0),
        (10.0, 14.0, 6.0, 0.0),
        (10.0, 8.0, 16.0, 1.0),
        (0.0, 8.0, 16.0, 3.0),
        (5.0, 9.0, 18.0, 2.5),
        (10.0, 4.0, 30.0, 0.5),
        (10.0, 4.0, 40.0, 0.25),
        (10.0, 6.0, 50.0, 1.0),
        (10.0, 6.0, 50.0, 2.5),
        (10.0, 8.0, 24.0, 0.5),
        (10.0, 8.0, 40.0, 1.75),
        (10.0, 10.0, 24.0, 1.75),
        (10.0, 10.0, 20.0, 0.0),
        (10.0, 10.0, 20.25, 0.0),
        (10.0, 10.25, 20.0, 0.0),
        (10.0, 40.0, 40.0, 4.0),
        (10.0, 24.0, 50.0, 2.0),
        (10.0, 20.0, 40.0, 4.0),
        (10.0, 10.03125, 4.0, 0.0078125),
        (10.0, 8.0, 22.03125, 0.0078125),
    )
]


def drawn(chance: Random) -> list[Inputs]:
    """Return the same runs by clocks that are a power of two slower or faster: no choice changes."""
    found = []
    for given in INPUTS:
        clock = 2.0 ** chance.randrange(-3, 4)
        found.append(run_of(*(clock * time for time in given.values())))
    return found


EXERCISE = Exercise(
    which_in_8_bits,
    number=4,
    level="hard",
    asked="the bits with which a layer is fastest",
    expected=fastest,
    examples=[
        run_of(1.0, 2.0, 0.5, 0.0),
        run_of(1.0, 0.5, 4.0, 0.0),
        OWN,
    ],
    inputs=INPUTS,
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "rounds_whatever_it_costs",
            "You forgot what rounding costs. Where the bytes hide, 8 bits make a layer slower.",
            {" + 2 * rounding_ms * rounded": ""},
        ),
        Mistake(
            "counts_one_rounding",
            "You counted one rounding for each. Weights are restored in both passes, gradients rounded and restored.",
            {"2 * rounding_ms": "rounding_ms"},
        ),
        Mistake(
            "counts_two_roundings_for_both",
            "You counted two roundings for both together. Each of the two that travels in 8 bits costs two.",
            {"2 * rounding_ms * rounded": "2 * rounding_ms * min(rounded, 1)"},
        ),
        Mistake(
            "settles_the_weights_first",
            "You settled the weights first. With gradients in 8 bits that can be needless: compare all four.",
            _weights_first,
        ),
        Mistake(
            "settles_the_gradients_first",
            "You settled the gradients first. With weights in 8 bits that can be needless: compare all four.",
            _gradients_first,
        ),
        Mistake(
            "adds_the_clocks",
            "In your sum no transfer hides behind computing. Side by side, a pass takes as long as the slower.",
            {
                "max(forward_ms, gather)": "forward_ms + gather",
                "max(3 * forward_ms, gather + reduce)": "3 * forward_ms + gather + reduce",
            },
        ),
        Mistake(
            "gathers_once",
            "You left the gather out of the backward pass. With full sharding the weights come twice.",
            {"gather + reduce": "reduce"},
        ),
        Mistake(
            "hides_each_alone",
            "In the backward pass you let gather and reduction go at the same time. They share the network.",
            {"gather + reduce": "max(gather, reduce)"},
        ),
        Mistake(
            "takes_passes_for_equal",
            "Your backward pass takes as long as the forward pass. It computes for three times as long.",
            {"3 * forward_ms": "forward_ms"},
        ),
        Mistake(
            "forgets_the_recomputation",
            "Your backward pass computes for twice as long as the forward pass. It runs the layer forward once more.",
            {"3 * forward_ms": "2 * forward_ms"},
        ),
        Mistake(
            "hides_over_both_passes",
            "You let the traffic of one pass hide behind the other. Each pass waits for its own.",
            {
                "forward = max(forward_ms, gather)": "forward = 0",
                "max(3 * forward_ms, gather + reduce)": "max(4 * forward_ms, 2 * gather + reduce)",
            },
        ),
        Mistake(
            "swaps_them",
            "You returned the gradients' bits first. The weights' come first.",
            {"return weights, gradients": "return gradients, weights"},
        ),
        Mistake(
            "prefers_fewer_bits",
            "Of equally fast choices you took the one with fewer bits. Bits that cost no time cost no error either.",
            {"found.append((layer, rounded,": "found.append((layer, -rounded,"},
        ),
        Mistake(
            "always_both",
            "You gave both 8 bits, whatever the times.",
            {"_, _, weights, gradients = min(found)": "weights, gradients = 8, 8"},
        ),
    ],
)
