# Wrong: keys and values twice, since each hop receives them and sends them.
# Message: There can be twice as many. The mask halves a step's pairs once;
def most_ring_ranks(*, tokens, query_heads, key_heads, tflop_per_s, gb_per_s):
    x = key_heads * tflop_per_s * 1e3 / gb_per_s / query_heads
    return max(1, int(tokens / x / 4))
