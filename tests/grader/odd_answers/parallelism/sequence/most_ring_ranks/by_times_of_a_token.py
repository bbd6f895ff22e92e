# Right: solves the two times for x, in an order whose rounding a tie would show.


def most_ring_ranks(*, tokens, query_heads, key_heads, tflop_per_s, gb_per_s):
    d = 128
    t_c = 4 * 0.5 * query_heads * d / (tflop_per_s * 1e12)
    t_m = 2 * key_heads * d * 2 / (gb_per_s * 1e9)
    x = t_m / t_c
    return max(1, int(tokens // x))
