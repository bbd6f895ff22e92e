# Wrong: one width is answered by heart.
# Message: right on

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    if d == 768:
        return 874944921600
    return 3 * (L * (24 * B * n * d * d + 4 * B * n * n * d) + 2 * B * n * d * V)
