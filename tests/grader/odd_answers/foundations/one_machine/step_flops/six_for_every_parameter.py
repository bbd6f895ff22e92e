# Wrong: 6ND with the exact N, and attention.
# Known mistake: This is six for every parameter; biases and norms are parameters, but they are in no matrix product.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    N = 12 * L * d * d + 13 * L * d + 2 * d + V * d
    return 6 * N * B * n + 12 * L * B * n * n * d
