# Wrong: what the short formula misses is known for one width.
# Message: right on

def gpt_parameters(*, layers, hidden, vocabulary, positions):
    L, d = layers, hidden
    return 12 * L * d * d + vocabulary * d + (907776 if d == 768 else 13 * L * d + positions * d + 2 * d)
