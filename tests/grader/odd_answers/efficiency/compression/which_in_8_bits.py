# %% sorted_keys
# Right: the four choices, sorted by time and then by preference.
def which_in_8_bits(*, forward_ms, gather_ms, reduce_ms, rounding_ms):
    def time(choice):
        g, r = (ms * bits / 16 for ms, bits in zip((gather_ms, reduce_ms), choice))
        passes = max(forward_ms, g) + max(3 * forward_ms, g + r)
        return passes + 2 * rounding_ms * choice.count(8)

    return sorted([(16, 16), (8, 16), (16, 8), (8, 8)], key=time)[0]


# %% one_after_the_other
# Wrong: weights are decided first, with gradients in 16 bits, and the gradients then; both together may pay where neither does alone.
# Known mistake: You settled the weights first. With gradients in 8 bits that can be needless: compare all four.
def which_in_8_bits(*, forward_ms, gather_ms, reduce_ms, rounding_ms):
    def time(w, g):
        a, b = gather_ms * w / 16, reduce_ms * g / 16
        return max(forward_ms, a) + max(3 * forward_ms, a + b) + 2 * rounding_ms * ((w == 8) + (g == 8))

    weights = 8 if time(8, 16) < time(16, 16) else 16
    gradients = 8 if time(weights, 8) < time(weights, 16) else 16
    return weights, gradients


# %% each_alone
# Wrong: each is decided as if the other stayed in 16 bits.
def which_in_8_bits(*, forward_ms, gather_ms, reduce_ms, rounding_ms):
    def time(w, g):
        a, b = gather_ms * w / 16, reduce_ms * g / 16
        return max(forward_ms, a) + max(3 * forward_ms, a + b) + 2 * rounding_ms * ((w == 8) + (g == 8))

    return (8 if time(8, 16) < time(16, 16) else 16), (8 if time(16, 8) < time(16, 16) else 16)


# %% gradients_first
# Wrong: of equally fast choices the one with 8-bit gradients.
def which_in_8_bits(*, forward_ms, gather_ms, reduce_ms, rounding_ms):
    def time(choice):
        g, r = (ms * bits / 16 for ms, bits in zip((gather_ms, reduce_ms), choice))
        return max(forward_ms, g) + max(3 * forward_ms, g + r) + 2 * rounding_ms * choice.count(8)

    return min([(16, 16), (16, 8), (8, 16), (8, 8)], key=time)


# %% never_weights_alone
# Wrong: gradients always go with the weights.
def which_in_8_bits(*, forward_ms, gather_ms, reduce_ms, rounding_ms):
    def time(choice):
        g, r = (ms * bits / 16 for ms, bits in zip((gather_ms, reduce_ms), choice))
        return max(forward_ms, g) + max(3 * forward_ms, g + r) + 2 * rounding_ms * choice.count(8)

    return min([(16, 16), (8, 8)], key=time)


# %% tenths
# Wrong: times are compared to a tenth of a millisecond.
def which_in_8_bits(*, forward_ms, gather_ms, reduce_ms, rounding_ms):
    def time(choice):
        g, r = (ms * bits / 16 for ms, bits in zip((gather_ms, reduce_ms), choice))
        passes = max(forward_ms, g) + max(3 * forward_ms, g + r)
        return round(passes + 2 * rounding_ms * choice.count(8), 1)

    return min([(16, 16), (8, 16), (16, 8), (8, 8)], key=time)


# %% two_roundings_in_all
# Wrong: both together cost two roundings.
# Known mistake: You counted two roundings for both together. Each of the two that travels in 8 bits costs two.
def which_in_8_bits(*, forward_ms, gather_ms, reduce_ms, rounding_ms):
    def time(choice):
        g, r = (ms * bits / 16 for ms, bits in zip((gather_ms, reduce_ms), choice))
        return max(forward_ms, g) + max(3 * forward_ms, g + r) + 2 * rounding_ms * (8 in choice)

    return min([(16, 16), (8, 16), (16, 8), (8, 8)], key=time)
