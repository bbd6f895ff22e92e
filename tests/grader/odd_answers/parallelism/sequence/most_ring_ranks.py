# %% at_most_1024
# Wrong: stops at 1,024 ranks, as if no more could be asked for. It passed once.
def most_ring_ranks(*, tokens, query_heads, key_heads, tflop_per_s, gb_per_s):
    x = 2 * key_heads / query_heads * tflop_per_s * 1e3 / gb_per_s
    return max(1, min(1024, int(tokens / x)))

# %% by_times_of_a_token
# Right: solves the two times for x, in an order whose rounding a tie would show.


def most_ring_ranks(*, tokens, query_heads, key_heads, tflop_per_s, gb_per_s):
    d = 128
    t_c = 4 * 0.5 * query_heads * d / (tflop_per_s * 1e12)
    t_m = 2 * key_heads * d * 2 / (gb_per_s * 1e9)
    x = t_m / t_c
    return max(1, int(tokens // x))

# %% by_trying
# Right: tries one number of ranks after the other.
def most_ring_ranks(*, tokens, query_heads, key_heads, tflop_per_s, gb_per_s):
    n = 1
    while 2 * (tokens / (n + 1)) * key_heads * 128 * 2 / (gb_per_s * 1e9) <= 2 * (
        tokens / (n + 1)
    ) ** 2 * query_heads * 128 / (tflop_per_s * 1e12):
        n += 1
    return n
