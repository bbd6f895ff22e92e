"""Exercise: how many layers a segment should have."""

from __future__ import annotations

from math import sqrt
from random import Random

from grader.exercise import Exercise, Mistake
from snippets.memory.recomputation.formulas import recomputation_account, segment_tasks, uniform_chain


def segment_length(*, layers: int, input_bytes: int, kept_bytes: int) -> int:
    """Return how many layers a segment should have for the lowest peak.

    The segments are equal, so their length divides the number of layers. All
    their inputs are kept, and one segment at a time is recorded. A record holds
    its layer's input too.

    Args:
        layers: of the chain, at least 1.
        input_bytes: of each layer's input, and of its output.
        kept_bytes: of a layer's record, its input included.

    Returns:
        Layers of a segment; of equally good lengths the shortest.

    >>> segment_length(layers=16, input_bytes=1, kept_bytes=1)
    4
    """
    best = (layers + 1) * (input_bytes + kept_bytes), 0
    for length in range(1, layers + 1):
        if layers % length == 0:
            peak = layers // length * input_bytes + length * kept_bytes
            if peak < best[0]:
                best = peak, length
    return best[1]


def by_running(*, layers: int, input_bytes: int, kept_bytes: int) -> int:
    """Run the plan of every length, and take the first of those that hold least."""
    chain = uniform_chain(layers, input_bytes=input_bytes, kept_bytes=kept_bytes)
    peaks = {
        length: recomputation_account(chain, segment_tasks(layers, segment_layers=length)).peak_bytes
        for length in range(1, layers + 1)
        if layers % length == 0
    }
    return min(peaks, key=lambda length: peaks[length])


def chain(layers: int, input_bytes: int, kept_bytes: int) -> dict[str, int]:
    return {"layers": layers, "input_bytes": input_bytes, "kept_bytes": kept_bytes}


def nearest_divisor(*, layers: int, input_bytes: int, kept_bytes: int) -> int:
    root = sqrt(layers * input_bytes / kept_bytes)
    return min((k for k in range(1, layers + 1) if layers % k == 0), key=lambda k: abs(k - root))


def rounded_root(*, layers: int, input_bytes: int, kept_bytes: int) -> int:
    return max(1, round(sqrt(layers * input_bytes / kept_bytes)))


def exchanged(*, layers: int, input_bytes: int, kept_bytes: int) -> int:
    return segment_length(layers=layers, input_bytes=kept_bytes, kept_bytes=input_bytes)


def number_of_segments(*, layers: int, input_bytes: int, kept_bytes: int) -> int:
    return layers // segment_length(layers=layers, input_bytes=input_bytes, kept_bytes=kept_bytes)


def drawn(chance: Random) -> list[dict[str, int]]:
    """Return chains of up to 36 layers."""
    found = []
    for _ in range(50):
        input_bytes = chance.randint(1, 9)
        found.append(chain(chance.randint(2, 36), input_bytes, input_bytes + chance.choice((0, 1, 3, 8, 30))))
    return found


def taught() -> str:
    layers = 36
    best = segment_length(layers=layers, input_bytes=1, kept_bytes=1)
    transformer = segment_length(layers=30, input_bytes=2, kept_bytes=34)
    return (
        f"{best} of {layers} layers: {layers // best} inputs and {best} records, {layers // best + best} in all. With "
        f"records 17 times as large as inputs, as in a transformer, the best of 30 layers is {transformer}: the "
        "root of the layers is for records as large as inputs."
    )


EXERCISE = Exercise(
    segment_length,
    number=1,
    level="easy",
    asked="the length of a segment with the lowest peak",
    expected=by_running,
    examples=[
        chain(16, 1, 1),
        chain(4, 1, 2),
        chain(12, 2, 2),
        chain(12, 5, 6),
        chain(7, 3, 4),
        chain(64, 1, 17),
        chain(36, 8, 9),
        chain(1, 1, 9),
        chain(48, 1, 1),
        chain(4, 5, 9),
        chain(20, 2, 5),
        chain(36, 2, 3),
        chain(36, 20, 29),
        chain(49, 1, 1),
        chain(100, 1, 1),
        chain(30, 100, 1499),
        chain(30, 2, 34),
    ],
    inputs=[
        chain(layers, c, c + more)
        for layers in (2, 6, 8, 9, 12, 18, 20, 24, 30)
        for c, more in ((1, 0), (1, 1), (2, 1), (4, 3), (1, 5), (2, 32), (9, 1))
    ],
    drawn=drawn,
    units={"result": "layers"},
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_root_of_the_layers",
            "√L is the best length only where a record is as large as an input.",
            {"length * kept_bytes": "length * input_bytes"},
        ),
        Mistake(
            "records_the_whole_chain",
            "One segment is recorded at a time: its layers' records, not those of all layers.",
            {"length * kept_bytes": "layers * kept_bytes"},
        ),
        Mistake(
            "keeps_the_input_of_every_layer",
            "Only the inputs of segments are kept, L/ℓ of them, not that of every layer.",
            {"layers // length * input_bytes": "layers * input_bytes"},
        ),
        Mistake(
            "takes_lengths_that_do_not_divide",
            "Equal segments: the length has to divide the number of layers.",
            {"layers % length == 0": "True"},
        ),
        Mistake(
            "takes_the_longest",
            "Of equally good lengths the shortest is asked for.",
            {"peak < best[0]": "peak <= best[0]"},
        ),
        Mistake(
            "adds_the_record_beside_the_input",
            "A record holds its layer's input: ℓ records are ℓ · kept_bytes, not ℓ · (kept_bytes + input_bytes).",
            {"length * kept_bytes": "length * (kept_bytes + input_bytes)"},
        ),
        Mistake(
            "exchanges_input_and_record",
            "The inputs are L/ℓ and the records ℓ: here it is the other way round.",
            exchanged,
        ),
        Mistake(
            "returns_the_number_of_segments",
            "The layers of a segment are asked for, not how many segments there are.",
            number_of_segments,
        ),
        Mistake(
            "takes_the_input_out_of_the_record",
            "The input of a segment's first layer is counted once more here: L/ℓ inputs and ℓ whole records are held.",
            {"length * kept_bytes": "length * (kept_bytes - input_bytes)"},
        ),
        Mistake(
            "takes_the_divisor_nearest_to_the_root",
            "The root is between two divisors: compare the two peaks, not their distances from the root.",
            nearest_divisor,
        ),
        Mistake(
            "rounds_the_root",
            "Equal segments: the length has to divide the number of layers, and the rounded root need not.",
            rounded_root,
        ),
    ],
)
