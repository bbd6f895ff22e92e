"""Exercise: a tile of the result that fits in fast memory and leaves a product compute-bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, inputs_for

TILE, ROOM, TIME = "tile", "fast memory", "bytes"
Tile = tuple[int, int]


def choose_tile(
    *,
    m: int,
    k: int,
    n: int,
    element_bytes: int,
    fast_bytes: int,
    peak_flops_per_s: int,
    bandwidth_bytes_per_s: int,
) -> tuple[int, int]:
    """Choose a tile of Y with which X·W is compute-bound and which fits.

    Y = X·W is made tile by tile. A tile of Y stays in fast memory; for each
    i of the k, a column of X (as long as the tile is high) and a row of W (as
    long as it is wide) are read and forgotten. Then the tile is written. At
    the lower and right edges of Y tiles are smaller. The fast memory has to
    hold the tile, one column and one row.

    Args:
        m: rows of X and Y.
        k: columns of X, rows of W.
        n: columns of W and Y.
        element_bytes: bytes of one number.
        fast_bytes: bytes of the fast memory.
        peak_flops_per_s: operations in a second.
        bandwidth_bytes_per_s: bytes between memory and chip in a second.

    Returns:
        (rows, columns) of a tile, at most m and n. All bytes read and
        written must not take longer than the 2·m·k·n operations.

    >>> choose_tile(m=4, k=4, n=4, element_bytes=1, fast_bytes=8,
    ...             peak_flops_per_s=128, bandwidth_bytes_per_s=80)
    (2, 2)
    """
    room = fast_bytes // element_bytes
    found = []
    for rows in range(1, m + 1):
        columns = min(n, (room - rows) // (rows + 1))
        if columns < 1:
            break
        strips_of_x, strips_of_w = -(-n // columns), -(-m // rows)
        found.append((m * k * strips_of_x + k * n * strips_of_w, (rows, columns)))
    return min(found)[1]


@cache
def counted(m: int, k: int, n: int, tile: Tile) -> tuple[int, int]:
    """Walk over the tiles; return the numbers that the fast memory holds at most, and those that pass.

    ``tests/foundations/roofline/test_roofline_exercises.py`` holds this to a run that moves real arrays.
    """
    rows, columns = tile
    held = passed = 0
    for top in range(0, m, rows):
        high = min(rows, m - top)
        for left in range(0, n, columns):
            wide = min(columns, n - left)
            held = max(held, high * wide + high + wide)
            passed += k * (high + wide) + high * wide
    return held, passed


def wanted(**_: Any) -> Observation:
    return {TILE: "from 1 × 1 to m × n", ROOM: "enough", TIME: "no longer than the operations"}


def observe(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Say of a tile whether it fits, and how long its bytes take against the operations."""
    m, k, n = (inputs[side] for side in "mkn")
    tile = function(**inputs)
    if not (1 <= tile[0] <= m and 1 <= tile[1] <= n):
        return {TILE: f"{tile}, where Y is {m} × {n}"}
    held, passed = (numbers * inputs["element_bytes"] for numbers in counted(m, k, n, tuple(tile)))
    over = held - inputs["fast_bytes"]
    seen = wanted()
    if over > 0:
        seen[ROOM] = f"the tile {tile} needs {held:,} bytes, {over:,} more than there are"
    ratio = Fraction(passed * inputs["peak_flops_per_s"], 2 * m * k * n * inputs["bandwidth_bytes_per_s"])
    if ratio > 1 + Fraction(1, 10**9):
        seen[TIME] = f"{passed:,} bytes take {float(ratio):.4g} times as long as the operations"
    return seen


product = inputs_for(choose_tile)


def just_enough(m: int, k: int, n: int, element_bytes: int, fast_bytes: int) -> Inputs:
    """A product with a bandwidth that the tile with the least traffic just needs, found by trying all tiles."""
    fits = []
    for rows in range(1, m + 1):
        for columns in range(1, n + 1):
            held, passed = counted(m, k, n, (rows, columns))
            if held * element_bytes <= fast_bytes:
                fits.append(passed)
    return product(m, k, n, element_bytes, fast_bytes, 2 * m * k * n, min(fits) * element_bytes)


def tight() -> list[Inputs]:
    """Products of several shapes with several fast memories, each with the bandwidth that is just enough."""
    shapes = ((4, 4, 4), (3, 5, 12), (12, 5, 3), (7, 3, 11), (10, 2, 10), (1, 4, 9), (9, 4, 1), (13, 6, 8), (16, 4, 16))
    rooms = (8, 15, 24, 35, 47, 61)
    return [
        just_enough(*shape, element_bytes, room * element_bytes + spare)
        for number, shape in enumerate(shapes)
        for element_bytes, spare in ((1, 0), (2, 1), (4, 3))[number % 3 : number % 3 + 1]
        for room in rooms
    ]


def square(m: int, n: int, element_bytes: int, fast_bytes: int, **_: Any) -> Tile:
    """The largest square that fits."""
    room, side = fast_bytes // element_bytes, 1
    while (side + 1) ** 2 + 2 * (side + 1) <= room:
        side += 1
    return min(side, m), min(side, n)


def power_of_two(**inputs: Any) -> Tile:
    return tuple(2 ** (side.bit_length() - 1) for side in square(**inputs))


def by_rule(*, strips: bool = True, numbers: bool = False, swapped: bool = False) -> Callable[..., bool]:
    """Return what judges a tile by another rule: what fits without strips, in numbers for bytes, or sides exchanged."""

    def accepts(tile: Tile, *, fast_bytes: int, **inputs: int) -> bool:
        rows, columns = reversed(tile) if swapped else tile
        m, k, n, element_bytes = (inputs[name] for name in ("m", "k", "n", "element_bytes"))
        if not (1 <= rows <= m and 1 <= columns <= n):
            return False
        held, passed = counted(m, k, n, (rows, columns))
        room = fast_bytes if numbers else fast_bytes // element_bytes
        operations, bandwidth = 2 * m * k * n, inputs["bandwidth_bytes_per_s"]
        in_time = passed * element_bytes * inputs["peak_flops_per_s"] <= operations * bandwidth
        return in_time and (held if strips else rows * columns) <= room

    return accepts


SEARCH = "return min(found)[1]"


def taught() -> str:
    m, k, n, element_bytes, fast, peak, bandwidth = EXERCISE.examples[-1].values()
    own = {"m": m, "k": k, "n": n, "element_bytes": element_bytes, "fast_bytes": fast}
    tile, largest = choose_tile(**own, peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth), square(**own)
    ms, square_ms = (1e3 * counted(m, k, n, one)[1] * element_bytes / bandwidth for one in (tile, largest))
    return (
        f"For the question's product {tile[0]} × {tile[1]} takes {ms:.0f} ms to read and write, and the operations "
        f"take {2e3 * m * k * n / peak:.0f} ms. The largest square, {largest[0]} × {largest[1]}, takes "
        f"{square_ms:.0f} ms: a tile is to suit the sides of Y, not only the memory."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return products whose bandwidth is just enough."""
    found = []
    for _ in range(40):
        m, k, n = (chance.randint(2, 16) for _ in range(3))
        element_bytes = chance.choice((1, 2, 4))
        fast_bytes = chance.randint(6, 64) * element_bytes + chance.randrange(element_bytes)
        found.append(just_enough(m, k, n, element_bytes, fast_bytes))
    return found


EXERCISE = Exercise(
    choose_tile,
    number=4,
    level="hard",
    asked="a tile (rows, columns) that fits, with which the bytes take no longer than the operations",
    expected=wanted,
    observe=observe,
    examples=[
        product(4, 4, 4, 1, 8, 128, 80),
        product(4, 4, 4, 2, 17, 128, 160),
        product(2, 4, 12, 1, 17, 192, 136),
        product(8, 8, 8, 2, 48, 1, 1),
        *(just_enough(*shape) for shape in ((3, 5, 12, 1, 27), (12, 5, 3, 2, 54), (10, 2, 10, 1, 35))),
        *(just_enough(*shape) for shape in ((60, 5, 60, 1, 15), (2, 4, 300, 1, 8), (300, 6, 2, 2, 17))),
        product(192, 4096, 4096, 4, 65536, 100_000_000_000, 3_500_000_000),
    ],
    inputs=tight(),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_largest_square",
            "The largest square that fits need not be best: at an edge of Y a strip is read for what little is left. "
            "Compare the bytes of tiles that are no squares.",
            square,
        ),
        Mistake(
            "takes_a_power_of_two",
            "This tile leaves fast memory unused: sides need not be powers of two.",
            power_of_two,
        ),
        Mistake(
            "forgets_the_strips",
            "Beside the tile, a column of X and a row of W are in the fast memory.",
            {"(room - rows) // (rows + 1)": "room // rows"},
            accepts=by_rule(strips=False),
        ),
        Mistake(
            "takes_the_most_entries",
            "The tile with the most entries need not be the best: what counts is how many rows and columns of tiles Y "
            "is cut into, since that is how often W and X are read.",
            {SEARCH: "return max(found, key=lambda one: one[1][0] * one[1][1])[1]"},
        ),
        Mistake(
            "counts_numbers_for_bytes",
            "The fast memory is given in bytes, and each number has element_bytes.",
            {"fast_bytes // element_bytes": "fast_bytes"},
            accepts=by_rule(numbers=True),
        ),
        Mistake(
            "reads_one_row_of_tiles",
            "For each tile both strips are read anew: X once for every column of tiles, W once for every row of them.",
            {"k * n * strips_of_w": "k * n"},
        ),
        Mistake(
            "no_edges",
            "Another tile that fits has fewer bytes. Smaller tiles at the edges of Y need strips too: count rows and "
            "columns of tiles rounded up, and compare all heights that leave room for a column.",
            {"-(-n // columns), -(-m // rows)": "n / columns, m / rows"},
        ),
        Mistake(
            "exchanges_the_sides",
            "You exchanged the sides: the first is the height of the tile, of at most m rows.",
            {SEARCH: "return min(found)[1][::-1]"},
            accepts=by_rule(swapped=True),
        ),
        Mistake(
            "is_always_two_by_two", "This is right for one input only: look at the fast memory.", lambda **_: (2, 2)
        ),
    ],
)
