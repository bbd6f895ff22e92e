# Wrong: no vocabulary is larger than 60,000.
# Message: right on

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    return 3 * (L * (24 * B * n * d * d + 4 * B * n * n * d) + 2 * B * n * d * min(V, 60000))
