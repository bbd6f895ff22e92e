# %% floats
# Right: a float where a fraction is asked.
def bytes_per_parameter(weight_bits, gradient_bits, average_bits, master, stage, ranks):
    optimizer = 2 * average_bits + (32 if master else 0)
    share = [1 / ranks if stage >= first else 1.0 for first in (3, 2, 1)]
    return (weight_bits * share[0] + gradient_bits * share[1] + optimizer * share[2]) / 8

# %% gradients_stay_whole
# Wrong: stage 2 cuts the gradients too; right wherever the stage is another or there is one rank.
# Message: stage = 2
from fractions import Fraction


def bytes_per_parameter(*, weight_bits, gradient_bits, average_bits, master, stage, ranks):
    optimizer = Fraction(2 * average_bits + 32 * master, ranks if stage else 1)
    rest = Fraction(weight_bits + gradient_bits, ranks if stage == 3 else 1)
    return (optimizer + rest) / 8

# %% master_of_16_bits
# Wrong: the copy of the weights has 32 bits.
# Message: master
from fractions import Fraction


def bytes_per_parameter(*, weight_bits, gradient_bits, average_bits, master, stage, ranks):
    kinds = {1: 2 * average_bits + 16 * master, 2: gradient_bits, 3: weight_bits}
    return sum(Fraction(bits, 8 * (ranks if stage >= first else 1)) for first, bits in kinds.items())
