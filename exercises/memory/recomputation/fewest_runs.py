"""Exercise: the fewest forward runs with a number of kept inputs."""

from __future__ import annotations

from functools import cache
from random import Random

from grader.exercise import Exercise, Mistake
from snippets.memory.recomputation.formulas import binomial_forward_passes


def fewest_runs(*, layers: int, checkpoints: int) -> int:
    """Return the fewest forward runs of a layer that a chain needs.

    All layers are alike, and only one record fits, which holds its layer's
    input too. Besides it, at most `checkpoints` inputs may be kept at a time,
    X_0 among them. An input that is no longer needed makes room for another.

    Args:
        layers: of the chain, 1 to 30: look up what is already solved.
        checkpoints: inputs that may be kept at a time, at least 1.

    Returns:
        Forward runs, those that record a layer included.

    >>> fewest_runs(layers=3, checkpoints=2)
    5
    """

    @cache
    def fewest(length: int, room: int) -> int:
        if length == 1:
            return 1
        if room == 1:
            return length * (length + 1) // 2
        options = []
        for first in range(1, length):
            behind = fewest(length - first, room - 1)
            options.append(first + behind + fewest(first, room))
        return min(options)

    return fewest(layers, checkpoints)


def chain(layers: int, checkpoints: int) -> dict[str, int]:
    return {"layers": layers, "checkpoints": checkpoints}


def keeps_for_good(*, layers: int, checkpoints: int) -> int:
    @cache
    def fewest(length: int, room: int) -> int:
        alone = length * (length + 1) // 2
        if room == 1 or length == 1:
            return alone
        return min(j + fewest(length - j, room - 1) + j * (j + 1) // 2 for j in range(1, length))

    return fewest(layers, checkpoints)


def drawn(chance: Random) -> list[dict[str, int]]:
    """Return chains of all lengths that are allowed."""
    return [chain(chance.randint(1, 30), chance.randint(1, 8)) for _ in range(50)]


EXERCISE = Exercise(
    fewest_runs,
    number=3,
    level="hard",
    asked="the fewest forward runs with so many kept inputs",
    expected=lambda layers, checkpoints: binomial_forward_passes(layers, checkpoints=checkpoints),
    examples=[
        chain(2, 1),
        chain(3, 2),
        chain(4, 2),
        chain(1, 1),
        chain(5, 1),
        chain(4, 9),
        chain(10, 3),
        chain(8, 7),
        chain(13, 9),
        chain(12, 2),
        chain(30, 5),
    ],
    inputs=[chain(layers, checkpoints) for layers in (2, 3, 5, 6, 7, 9, 11, 14, 20, 25) for checkpoints in range(1, 7)],
    drawn=drawn,
    units={"result": "runs"},
    mistakes=[
        Mistake(
            "cuts_in_the_middle",
            "The middle is not the best place for the next kept input: the part behind it has one place less.",
            {"range(1, length)": "(length // 2,)"},
        ),
        Mistake(
            "gives_both_parts_the_same_room",
            "While the part behind the kept input is worked on, that input takes a place: there is one less.",
            {"room - 1)": "room)"},
        ),
        Mistake(
            "does_not_free_the_place",
            "When the part behind is done, its kept input is no longer needed and its place is free again.",
            {"fewest(first, room)": "fewest(first, room - 1)"},
        ),
        Mistake(
            "keeps_inputs_for_good",
            "The layers up to the kept input may use its place again, once it is free: not only X_0 may be kept there.",
            keeps_for_good,
        ),
        Mistake(
            "forgets_to_run_there",
            "To have an input that may be kept, the layers before it have to run; and no layer can be recorded before "
            "its turn, because only one record fits.",
            {"first + behind": "behind"},
        ),
        Mistake(
            "records_the_first_layer_at_once",
            "Only one record fits: a layer cannot be recorded before its turn.",
            {"options = []": "options = [1 + fewest(length - 1, room - 1)]"},
        ),
        Mistake(
            "leaves_out_the_recording_runs",
            "Each layer is also recorded once, and that is a forward run.",
            {"return fewest(layers, checkpoints)": "return fewest(layers, checkpoints) - layers"},
        ),
        Mistake(
            "counts_x_0_apart",
            "X_0 is one of the checkpoints: there is not one place more.",
            {"return fewest(layers, checkpoints)": "return fewest(layers, checkpoints + 1)"},
        ),
        Mistake(
            "runs_each_layer_twice",
            "With few places some layers have to run more than twice.",
            lambda layers, **_: 2 * layers - 1,
        ),
    ],
)
