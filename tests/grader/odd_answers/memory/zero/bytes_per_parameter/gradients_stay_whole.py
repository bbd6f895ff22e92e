# Wrong: stage 2 cuts the gradients too; right wherever the stage is another or there is one rank.
# Message: stage = 2
from fractions import Fraction


def bytes_per_parameter(*, weight_bits, gradient_bits, average_bits, master, stage, ranks):
    optimizer = Fraction(2 * average_bits + 32 * master, ranks if stage else 1)
    rest = Fraction(weight_bits + gradient_bits, ranks if stage == 3 else 1)
    return (optimizer + rest) / 8
