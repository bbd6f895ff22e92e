"""Exercise: what a chain of element-wise operations reads and writes, fused and not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake

Step = tuple[str, list[str]]


def chain_bytes(
    steps: Sequence[tuple[str, list[str]]],
    *,
    kept: list[str],
    numbers: int,
    element_bytes: int,
    fused: bool,
) -> int:
    """Return the bytes that a chain of element-wise operations moves.

    All arrays have equally many numbers and start in memory, or are made by
    one of the steps, each of them once and before it is used. Not fused,
    each step is a loop of its own: it reads the arrays that it uses, and
    writes the one that it makes. Fused, one loop does all steps for entry 0,
    then for entry 1, and so on: what a step made for an entry, or what was
    read for it, is still there for the next step. A loop reads an array once,
    even if it is used twice.

    Args:
        steps: for each step in its order the array that it makes, and those
            that it uses.
        kept: arrays that are needed afterwards, each made by a step; fused,
            no other array has to be written.
        numbers: numbers of one array.
        element_bytes: bytes of one number.
        fused: whether there is one loop, or one for each step.

    Returns:
        Bytes read and written together.

    >>> chain_bytes([("u", ["x", "y"]), ("v", ["u"])], kept=["v"],
    ...             numbers=10, element_bytes=2, fused=True)
    60
    """
    made = {name for name, _ in steps}
    if fused:
        used = {name for _, names in steps for name in names}
        arrays = len(used - made) + len(set(kept))
    else:
        arrays = sum(len(set(names)) + 1 for _, names in steps)
    return arrays * numbers * element_bytes


def moved_one_by_one(steps: Sequence[Step], *, kept: list[str], numbers: int, element_bytes: int, fused: bool) -> int:
    """Go through the entries with registers that are empty at the start of each, and count what passes."""
    moved = 0
    for loop in [list(steps)] if fused else [[step] for step in steps]:
        for _ in range(numbers):
            registers: set[str] = set()
            for makes, names in loop:
                for name in names:
                    if name not in registers:
                        registers.add(name)
                        moved += element_bytes
                registers.add(makes)
                if not fused or makes in kept:
                    moved += element_bytes
    return moved


def chain(steps: list[Step], kept: list[str], numbers: int, element_bytes: int, fused: bool) -> Inputs:
    return {"steps": steps, "kept": kept, "numbers": numbers, "element_bytes": element_bytes, "fused": fused}


def chains(st: Any) -> Any:
    """Draw chains of one to four steps, which make a, b, c and d of x, y and what was made before."""

    @st.composite
    def drawn(draw: Any) -> Inputs:
        there, steps = ["x", "y"], []
        for makes in "abcd"[: draw(st.integers(1, 4))]:
            steps.append((makes, draw(st.lists(st.sampled_from(there), min_size=1, max_size=3))))
            there.append(makes)
        made = [makes for makes, _ in steps]
        kept = draw(st.lists(st.sampled_from(made), min_size=1, max_size=len(made), unique=True))
        return chain(steps, kept, draw(st.integers(1, 9)), draw(st.sampled_from([1, 2, 4])), draw(st.booleans()))

    return drawn()


# A bias, a residual and a norm's scale after a product, in bfloat16: 8192 tokens of 4096 features.
LAYER: list[Step] = [("a", ["x", "bias"]), ("b", ["a", "residual"]), ("c", ["b"]), ("d", ["c", "scale"])]


def taught() -> str:
    apart, fused = (chain_bytes(**chain(LAYER, ["b", "d"], 32_768, 2, one_loop)) for one_loop in (False, True))
    return (
        f"Four loops move {apart / 1e3:.0f} kB, a single one {fused / 1e3:.0f} kB, {1 - fused / apart:.0%} less: what "
        "one step makes and only the next one needs never goes to memory."
    )


EXERCISE = Exercise(
    chain_bytes,
    number=3,
    asked="the bytes that a chain of element-wise operations reads and writes",
    expected=moved_one_by_one,
    examples=[
        chain([("u", ["x", "y"]), ("v", ["u"])], ["v"], 10, 2, True),
        chain([("u", ["x", "y"]), ("v", ["u"])], ["v"], 10, 2, False),
        chain([("u", ["x", "x"])], ["u"], 3, 4, False),
        chain([("u", ["x"]), ("v", ["u", "x"])], ["u", "v"], 3, 4, True),
        chain([("u", ["x"]), ("v", ["x"])], ["u", "v"], 3, 1, False),
        chain(LAYER, ["b", "d"], 8192 * 4, 2, False),
        chain(LAYER, ["b", "d"], 8192 * 4, 2, True),
    ],
    inputs=chains,
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "does_not_fuse",
            "Fused, what a step has made or what was read for an entry is still there: it is not read again.",
            {"if fused:": "if False:"},
        ),
        Mistake(
            "fuses_always",
            "Not fused, each step reads what it uses and writes what it makes, because its loop knows nothing of the "
            "others.",
            {"if fused:": "if True:"},
        ),
        Mistake(
            "writes_all",
            "Fused, an array that is not needed afterwards never has to leave the chip.",
            {"len(set(kept))": "len(made)"},
        ),
        Mistake(
            "writes_the_last_only",
            "All arrays in kept are needed afterwards, so each of them has to be written.",
            {"len(set(kept))": "1"},
        ),
        Mistake(
            "reads_what_was_made",
            "Fused, what an earlier step has made for an entry is still on the chip: it is not read.",
            {"len(used - made)": "len(used)"},
        ),
        Mistake(
            "reads_each_use",
            "A loop reads an array once, even if it is used twice.",
            {"len(set(names)) + 1": "len(names) + 1"},
        ),
        Mistake(
            "does_not_write",
            "Not fused, a step also writes the array that it makes.",
            {"len(set(names)) + 1": "len(set(names))"},
        ),
        Mistake(
            "counts_numbers",
            "These are numbers; each has element_bytes.",
            {"arrays * numbers * element_bytes": "arrays * numbers"},
        ),
    ],
)
