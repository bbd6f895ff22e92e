# %% as_it_is_printed
# Right: the formula as Narayanan et al. print it, in floating point.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    inner = 1 + sequence / (6 * hidden) + vocabulary / (12 * hidden * layers)
    return 72 * batch * sequence * layers * hidden**2 * inner

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
