# Wrong: a token attends to itself and those before it.
# Known mistake: By the convention asked for, the mask saves nothing: n × n scores count, not only the n(n + 1)/2 kept.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    return 3 * (L * (24 * B * n * d * d + 2 * B * n * (n + 1) * d) + 2 * B * n * d * V)
