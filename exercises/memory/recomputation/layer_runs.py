"""Exercise: how often each layer runs forward, if some inputs are kept."""

from __future__ import annotations

from collections.abc import Sequence

from grader.exercise import Exercise, Mistake
from snippets.memory.recomputation.formulas import ChainTask, recomputation_account, uniform_chain


def layer_runs(*, layers: int, kept_inputs: Sequence[int]) -> list[int]:
    """Return how often each layer runs forward if some inputs are kept.

    Only one layer's record fits. So for each backward pass the chain runs
    again, from the last kept input before that layer, and the layer itself is
    recorded. The first time, for the last layer, it runs from the beginning,
    because nothing else is kept yet.

    Args:
        layers: of the chain; layer i makes X_i from X_(i-1).
        kept_inputs: numbers i of the X_i that are kept from the first run on
            until they are no longer needed, from 0 to layers - 1 and in
            increasing order; 0 is always among them.

    Returns:
        Forward runs of layers 1, 2, …, the recorded one of each included.

    >>> layer_runs(layers=3, kept_inputs=[0])
    [3, 2, 1]
    """
    runs = [0] * layers
    for last in range(layers, 0, -1):
        start = max(i for i in kept_inputs if i < last)
        if last == layers:
            start = 0
        for layer in range(start + 1, last + 1):
            runs[layer - 1] += 1
    return runs


def by_running(*, layers: int, kept_inputs: Sequence[int]) -> list[int]:
    """Write the plan down, let the book's account check that it can run, and count its tasks."""
    tasks = []
    for last in range(layers, 0, -1):
        start = 0 if last == layers else max(i for i in kept_inputs if i < last)
        for layer in range(start + 1, last):
            tasks.append(ChainTask("keep" if layer - 1 in kept_inputs else "forward", layer))
        tasks += [ChainTask("record", last), ChainTask("backward", last)]
    done = recomputation_account(uniform_chain(layers, kept_bytes=9), tasks).tasks
    return [sum(task.layer == layer and task.kind != "backward" for task in done) for layer in range(1, layers + 1)]


def chain(layers: int, *kept: int) -> dict[str, object]:
    return {"layers": layers, "kept_inputs": [0, *kept]}


EXERCISE = Exercise(
    layer_runs,
    number=2,
    level="medium",
    asked="how often each layer runs forward, if some inputs are kept and one record fits",
    expected=by_running,
    examples=[
        chain(2),
        chain(3),
        chain(4, 2),
        chain(1),
        chain(5, 1, 3),
        chain(6, 5),
        chain(6, 1, 2, 3, 4, 5),
        chain(9, 3, 6),
        chain(30, 5, 10, 15, 20, 25),
    ],
    inputs=lambda st: st.integers(1, 12).flatmap(
        lambda layers: st.fixed_dictionaries(
            {
                "layers": st.just(layers),
                "kept_inputs": st.sets(st.integers(0, layers - 1), max_size=5).map(lambda some: sorted({0, *some})),
            }
        )
    ),
    draws=80,
    units={"result": "runs"},
    mistakes=[
        Mistake(
            "forgets_the_first_run",
            "Either the first run starts at a kept input, though none is there yet, or a layer whose own output is "
            "kept is not run for its record.",
            {"if last == layers:": "if False:"},
        ),
        Mistake(
            "runs_from_the_beginning_each_time",
            "A kept input saves the run up to it: start from the last kept one before the layer.",
            {"if last == layers:": "if True:"},
        ),
        Mistake(
            "leaves_out_the_recording_run",
            "The run that records the layer is a forward run too.",
            {"range(start + 1, last + 1)": "range(start + 1, last)"},
        ),
        Mistake(
            "runs_the_layer_before_the_kept_input",
            "X_i is what layer i made: with X_i kept, the first layer to run is i + 1.",
            {"range(start + 1, last + 1)": "range(max(start, 1), last + 1)"},
        ),
        Mistake(
            "passes_over_the_layers_own_input",
            "X_(i-1) itself is what layer i reads: if it is kept, nothing before layer i has to run.",
            {"if i < last)": "if i < max(last - 1, 1))"},
        ),
        Mistake(
            "starts_at_the_layers_own_output",
            "Layer i reads X_(i-1): X_i, its own output, does not help to make its record.",
            {
                "if i < last)": "if i <= last)",
                "range(start + 1, last + 1)": "range(min(start, last - 1) + 1, last + 1)",
            },
        ),
        Mistake(
            "runs_each_layer_twice",
            "Where only one record fits, a layer runs once for each backward pass behind it in its segment.",
            lambda layers, **_: [2] * (layers - 1) + [1],
        ),
        Mistake(
            "runs_the_whole_chain_once_more",
            "The first run ends in the record of the last layer: no layer has to run once more beside these runs.",
            {"runs = [0] * layers": "runs = [1] * layers"},
        ),
        Mistake("takes_the_first_example", "This is right for one input only.", lambda **_: [2, 1]),
    ],
)
