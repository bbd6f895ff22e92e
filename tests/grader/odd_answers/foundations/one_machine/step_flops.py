# %% as_it_is_printed
# Right: the formula as Narayanan et al. print it, in floating point.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    inner = 1 + sequence / (6 * hidden) + vocabulary / (12 * hidden * layers)
    return 72 * batch * sequence * layers * hidden**2 * inner

# %% one_product_of_attention
# Wrong: one of attention's two products.
# Known mistake: This counts half of attention. If for the mask: by the convention asked for, it saves nothing. Otherwise one of its two matmuls is missing, or in both a multiplication with its addition counts as one.
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

# %% attentions_multiply_adds_as_one
# Wrong: in attention a multiplication with its addition counts as one.
# Known mistake: This counts half of attention. If for the mask: by the convention asked for, it saves nothing. Otherwise one of its two matmuls is missing, or in both a multiplication with its addition counts as one.
def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    weights = 12 * layers * hidden**2 + hidden * vocabulary
    return 6 * batch * sequence * weights + 3 * layers * batch * 2 * sequence * sequence * hidden

# %% six_for_each_parameter
# Wrong: the rule of thumb, with every parameter.
# Known mistake: This is 6ND. It counts the table of positions, biases and norms, which are in no matmul, and leaves out attention's own matmuls.
def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    per_layer = 12 * hidden**2 + 13 * hidden
    parameters = layers * per_layer + (vocabulary + sequence + 2) * hidden
    return 6 * parameters * batch * sequence

# %% the_table_twice
# Wrong: the token table counts as a matmul at the bottom too.
# Known mistake: The look-up of a token's row is no matmul, forward or backward: of the two uses of the table, only the head is one.
def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    token = 24 * layers * hidden**2 + 4 * layers * sequence * hidden + 2 * 2 * hidden * vocabulary
    return 3 * token * batch * sequence

# %% layers_alone
# Wrong: the weights of the layers and nothing else.
# Known mistake: This is six for each weight of the layers. Attention's own matmuls and the head are missing.
def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    return 72 * batch * sequence * layers * hidden * hidden
