"""Exercise: what an advertised rate leaves in one direction, in bytes."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake

BITS = {"Gb/s": 10**9, "GB/s": 8 * 10**9, "Tb/s": 10**12, "TB/s": 8 * 10**12}


def one_way_bytes_per_s(
    *,
    printed: float,
    unit: str,
    adds_directions: bool,
) -> float:
    """Return what a link carries in one direction.

    Args:
        printed: the number in the advertisement.
        unit: "Gb/s", "GB/s", "Tb/s" or "TB/s"; b is a bit, B a byte, G
            is 10⁹ and T is 10¹².
        adds_directions: whether the number adds both directions.

    Returns:
        Bytes a second, one direction.

    >>> one_way_bytes_per_s(printed=8, unit="Gb/s", adds_directions=False)
    1000000000.0
    """
    scale = 1e12 if unit[0] == "T" else 1e9
    bits = 8 if unit[1] == "b" else 1
    directions = 2 if adds_directions else 1
    return printed * scale / bits / directions


def counted(*, printed: float, unit: str, adds_directions: bool) -> float:
    """Count the bits of a second, both ways where both are meant, and pack them by eight."""
    bits = Fraction(printed) * BITS[unit]
    return float((bits / 2 if adds_directions else bits) / 8)


def printed_as(printed: float, unit: str, adds_directions: bool) -> Inputs:
    return {"printed": printed, "unit": unit, "adds_directions": adds_directions}


EXERCISE = Exercise(
    one_way_bytes_per_s,
    number=1,
    level="easy",
    asked="the bytes a second that a link carries one way",
    expected=counted,
    examples=[
        printed_as(8, "Gb/s", False),
        printed_as(900, "GB/s", True),
        printed_as(51.2, "Tb/s", True),
        printed_as(1.8, "TB/s", True),
        printed_as(3.35, "TB/s", False),
        printed_as(0.0123456789, "Gb/s", False),
        printed_as(400, "Gb/s", False),
    ],
    inputs=lambda st: {
        "printed": st.sampled_from([0.0123456789, 0.5, 1, 3, 25, 64, 100, 200, 800]),
        "unit": st.sampled_from(list(BITS)),
        "adds_directions": st.booleans(),
    },
    units={"result": "bytes/s"},
    mistakes=[
        Mistake(
            "reads_bits_as_bytes", "A small b is a bit: eight of them make a byte.", {'8 if unit[1] == "b" else 1': "1"}
        ),
        Mistake("takes_bytes_for_bits", "A capital B is a byte already.", {'8 if unit[1] == "b" else 1': "8"}),
        Mistake(
            "keeps_both_directions",
            "Where the number adds both directions, one direction is half of it.",
            {"2 if adds_directions else 1": "1"},
        ),
        Mistake(
            "halves_everything",
            "Some numbers count one direction already: halve only those that add both.",
            {"2 if adds_directions else 1": "2"},
        ),
        Mistake(
            "halves_the_others",
            "Halve the numbers that add both directions, and leave those that count one as they are.",
            {"2 if adds_directions else 1": "1 if adds_directions else 2"},
        ),
        Mistake(
            "takes_powers_of_two",
            "G and T are 10⁹ and 10¹² here; 2³⁰ and 2⁴⁰ are written Gi and Ti.",
            {'1e12 if unit[0] == "T" else 1e9': '2**40 if unit[0] == "T" else 2**30'},
        ),
        Mistake("takes_all_for_giga", "T is 10¹², a thousand times G.", {'1e12 if unit[0] == "T" else 1e9': "1e9"}),
        Mistake(
            "multiplies_by_eight", "Bytes are fewer than bits: divide by eight.", {"* scale / bits": "* scale * bits"}
        ),
    ],
)
