# %% as_it_is_printed
# Right: the formula as Narayanan et al. print it, in floating point.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    inner = 1 + sequence / (6 * hidden) + vocabulary / (12 * hidden * layers)
    return 72 * batch * sequence * layers * hidden**2 * inner

# %% one_triangle
# Wrong: a token attends to itself and those before it.
# Known mistake: By the convention asked for, the mask saves nothing: n × n scores count, not only the n(n + 1)/2 kept.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    return 3 * (L * (24 * B * n * d * d + 2 * B * n * (n + 1) * d) + 2 * B * n * d * V)

# %% one_width_by_heart
# Wrong: one width is answered by heart.
# Message: right on

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    if d == 768:
        return 874944921600
    return 3 * (L * (24 * B * n * d * d + 4 * B * n * n * d) + 2 * B * n * d * V)

# %% six_for_every_parameter
# Wrong: 6ND with the exact N, and attention.
# Known mistake: This is six for every parameter; biases and norms are parameters, but they are in no matrix product.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    N = 12 * L * d * d + 13 * L * d + 2 * d + V * d
    return 6 * N * B * n + 12 * L * B * n * n * d

# %% small_vocabularies
# Wrong: no vocabulary is larger than 60,000.
# Message: right on

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    L, d, V, B, n = layers, hidden, vocabulary, batch, sequence
    return 3 * (L * (24 * B * n * d * d + 4 * B * n * n * d) + 2 * B * n * d * min(V, 60000))

# %% one_product_of_attention
# Wrong: one of attention's two products.
# Known mistake: This counts half of attention. If for the mask: by the convention asked for, it saves nothing. Otherwise one of its two products is missing: queries times keys, and scores times values.
from __future__ import annotations


def step_flops(
    *,
    layers: int,
    hidden: int,
    vocabulary: int,
    batch: int,
    sequence: int,
) -> int:
    tokens = batch * sequence
    layer = 24 * tokens * hidden**2 + 2 * tokens * sequence * hidden
    head = 2 * tokens * hidden * vocabulary
    return 3 * (layers * layer + head)
