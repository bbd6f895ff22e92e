"""Exercise: the largest finite number of a format, from its bits and from what its last codes mean."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def largest_finite(
    *,
    exponent_bits: int,
    mantissa_bits: int,
    reserved: str,
) -> float:
    """Return the largest finite number of a number format.

    A code with exponent field j > 0 and mantissa field i stands for
    (1 + i / 2^mantissa_bits) * 2^(j - bias), where the bias is
    2^(exponent_bits - 1) - 1. Some codes are no numbers.

    Args:
        exponent_bits: at least 2.
        mantissa_bits: at least 1.
        reserved: which codes are infinity or NaN: "exponent", all with the
            highest exponent field, as in IEEE 754; "code", only that of ones
            alone; "nothing", none.

    Returns:
        The largest number.

    >>> largest_finite(exponent_bits=2, mantissa_bits=1, reserved="nothing")
    6.0
    """
    bias = 2 ** (exponent_bits - 1) - 1
    field = 2**exponent_bits - 1
    fraction = 2**mantissa_bits - 1
    if reserved == "exponent":
        field -= 1
    if reserved == "code":
        fraction -= 1
    return (1 + fraction / 2**mantissa_bits) * 2.0 ** (field - bias)


def largest_of_all_codes(*, exponent_bits: int, mantissa_bits: int, reserved: str) -> float:
    """Read codes as fields of bits, from the highest down over the two highest exponents, and keep the largest."""
    numbers = []
    for code in range(
        2 ** (exponent_bits + mantissa_bits) - 1, 2 ** (exponent_bits + mantissa_bits) - 2 ** (mantissa_bits + 1), -1
    ):
        bits = f"{code:0{exponent_bits + mantissa_bits}b}"
        if (reserved == "exponent" and "0" not in bits[:exponent_bits]) or (reserved == "code" and "0" not in bits):
            continue
        significand = sum(
            (Fraction(int(bit), 2 ** (1 + place)) for place, bit in enumerate(bits[exponent_bits:])), Fraction(1)
        )
        middle = int("0" + "1" * (exponent_bits - 1), 2)  # the field that stands for the exponent 0
        numbers.append(float(significand * Fraction(2) ** (int(bits[:exponent_bits], 2) - middle)))
    return max(numbers)


format_of = inputs_for(largest_finite)
RESERVED = ("exponent", "code", "nothing")


def taught() -> str:
    infinities, ones = (largest_finite(exponent_bits=4, mantissa_bits=3, reserved=name) for name in RESERVED[:2])
    half = largest_finite(exponent_bits=5, mantissa_bits=10, reserved="exponent")
    brain = largest_finite(exponent_bits=8, mantissa_bits=7, reserved="exponent")
    return (
        f"With IEEE's infinities E4M3 would end at {infinities:g}; with one NaN alone it ends at {ones:g}. Of 16-bit "
        f"formats, fp16 with five exponent bits ends at {half:g}, and bf16 with eight at {brain:.1e}, as fp32 does: "
        "three bits of the mantissa bought that range."
    )


EXERCISE = Exercise(
    largest_finite,
    number=1,
    level="easy",
    asked="the largest finite number, from the bits and from the codes that are no numbers",
    expected=largest_of_all_codes,
    examples=[
        format_of(2, 1, "nothing"),
        format_of(5, 2, "exponent"),
        format_of(3, 2, "nothing"),
        format_of(4, 3, "code"),
        format_of(8, 7, "exponent"),
        format_of(4, 3, "exponent"),
    ],
    inputs=[
        format_of(exponent, mantissa, reserved)
        for exponent in (2, 3, 4, 5, 6)
        for mantissa in (1, 2, 3, 5)
        for reserved in RESERVED
    ],
    drawn=lambda chance: [
        format_of(chance.randint(2, 6), chance.choice((1, 2, 4, 6)), chance.choice(RESERVED)) for _ in range(40)
    ],
    taught=taught,
    mistakes=[
        Mistake(
            "takes_infinity_for_a_number",
            "In IEEE's formats the highest exponent field is infinity and NaN. The largest number has the field below.",
            {"field -= 1": "field -= 0"},
        ),
        Mistake(
            "reserves_the_whole_exponent",
            "You gave up the whole highest exponent, but here only the code of ones alone is no number.",
            {'    if reserved == "exponent":': '    if reserved != "nothing":', "fraction -= 1": "fraction -= 0"},
        ),
        Mistake(
            "takes_nan_for_a_number",
            "The code of ones alone is NaN here. The largest number's mantissa is one less.",
            {"fraction -= 1": "fraction -= 0"},
        ),
        Mistake(
            "reserves_a_code_of_every_format",
            "A format without infinity and NaN uses every code: its largest number has ones alone.",
            {'if reserved == "code":': 'if reserved != "exponent":'},
        ),
        Mistake(
            "takes_half_the_fields_as_bias",
            "The bias is one less than half the number of exponent fields.",
            {"bias = 2 ** (exponent_bits - 1) - 1": "bias = 2 ** (exponent_bits - 1)"},
        ),
        Mistake(
            "forgets_the_bias",
            "You took the exponent field for the exponent. Subtract the bias.",
            {"(field - bias)": "field"},
        ),
        Mistake(
            "forgets_the_hidden_one",
            "You forgot the bit that is not stored: a significand begins with 1.",
            {"(1 + fraction / 2**mantissa_bits)": "(fraction / 2**mantissa_bits)"},
        ),
        Mistake(
            "rounds_the_significand_up",
            "This is the next power of two. The largest significand is a little below 2.",
            {"(1 + fraction / 2**mantissa_bits)": "2"},
        ),
    ],
)
