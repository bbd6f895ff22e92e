# %% by_layer
# Right: layer by layer.
def cached_bytes(layers, key_value_heads, head_size, tokens, window, full_every):
    kept = 0
    for layer in range(1, layers + 1):
        kept += tokens if layer % full_every == 0 else min(window, tokens)
    return 4 * key_value_heads * head_size * kept


# %% counts_layers_from_zero
# Wrong: layer 0 is full, so a rest of the pattern has one full layer more.
def cached_bytes(layers, key_value_heads, head_size, tokens, window, full_every):
    kept = 0
    for layer in range(layers):
        kept += tokens if layer % full_every == 0 else min(window, tokens)
    return 4 * key_value_heads * head_size * kept


# %% a_share_of_layers
# Wrong: a share in place of a whole number of layers.
def cached_bytes(layers, key_value_heads, head_size, tokens, window, full_every):
    full = layers / full_every
    kept = full * tokens + (layers - full) * min(window, tokens)
    return int(4 * key_value_heads * head_size * kept)
