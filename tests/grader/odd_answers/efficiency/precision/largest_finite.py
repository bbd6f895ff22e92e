# %% a_table_of_two_cases
# Right: the formula with 2 less a step, or two.
def largest_finite(*, exponent_bits, mantissa_bits, reserved):
    top = 2 ** (exponent_bits - 1) - (reserved == "exponent")
    steps = 2 if reserved == "code" else 1
    return (2 - steps * 2**-mantissa_bits) * 2**top


# %% an_integer_where_it_is_one
# Right: whole numbers as integers.
def largest_finite(*, exponent_bits, mantissa_bits, reserved):
    top = 2 ** (exponent_bits - 1) - (reserved == "exponent")
    number = (2 ** (mantissa_bits + 1) - (2 if reserved == "code" else 1)) * 2.0 ** (top - mantissa_bits)
    return int(number) if number.is_integer() else number


# %% all_numbers_listed
# Right: the maximum over all codes of a small format, by their fields.
def largest_finite(*, exponent_bits, mantissa_bits, reserved):
    bias, most = 2 ** (exponent_bits - 1) - 1, 0.0
    for field in range(max(1, 2**exponent_bits - 3), 2**exponent_bits - (reserved == "exponent")):
        for fraction in range(2**mantissa_bits):
            last = field == 2**exponent_bits - 1 and fraction == 2**mantissa_bits - 1
            if not (last and reserved == "code"):
                most = max(most, (1 + fraction / 2**mantissa_bits) * 2.0 ** (field - bias))
    return most


# %% only_known_formats
# Wrong: a table of the formats with names.
def largest_finite(*, exponent_bits, mantissa_bits, reserved):
    known = {(2, 1): 6.0, (4, 3): 448.0, (5, 2): 57344.0, (3, 2): 28.0, (2, 3): 7.5, (5, 10): 65504.0}
    return known.get((exponent_bits, mantissa_bits), 3.3895313892515355e38)


# %% sign_in_the_mantissa
# Wrong: a bit of the mantissa taken for the sign.
def largest_finite(*, exponent_bits, mantissa_bits, reserved):
    top = 2 ** (exponent_bits - 1) - (reserved == "exponent")
    return (2 - 2.0 ** -(mantissa_bits - 1)) * 2.0**top
