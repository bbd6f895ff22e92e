# %% floats
# Right: a float where a fraction is asked.
def bytes_per_parameter(weight_bits, gradient_bits, average_bits, master, stage, ranks):
    optimizer = 2 * average_bits + (32 if master else 0)
    share = [1 / ranks if stage >= first else 1.0 for first in (3, 2, 1)]
    return (weight_bits * share[0] + gradient_bits * share[1] + optimizer * share[2]) / 8
