# %% query_by_query
# Right: what each query sees, added up.
def compared_flops(tokens, heads, key_width, value_width, window):
    pairs = sum(min(here + 1, window) for here in range(tokens))
    return 2 * pairs * heads * (key_width + value_width)


# %% a_triangle_less_a_triangle
# Right: all pairs of a causal mask, less those beyond the window.
def compared_flops(tokens, heads, key_width, value_width, window):
    far = max(0, tokens - window)
    pairs = (tokens * (tokens + 1) - far * (far + 1)) // 2
    return 2 * pairs * heads * (key_width + value_width)


# %% as_some_libraries_do
# Wrong: the mean of a causal mask, with the window in the place of the sequence.
def compared_flops(tokens, heads, key_width, value_width, window):
    return int(2 * tokens * heads * (key_width + value_width) * min(window, tokens) / 2)


# %% two_regimes_and_the_wrong_border
# Wrong: a sequence of just the window's length is given to the long ones, which leave the triangle out.
def compared_flops(tokens, heads, key_width, value_width, window):
    pairs = tokens * (tokens + 1) // 2 if tokens < window else tokens * window
    return 2 * pairs * heads * (key_width + value_width)


# %% through_floats
# Wrong: halves with a division that rounds, which is off where a number is large.
def compared_flops(tokens, heads, key_width, value_width, window):
    r = min(window, tokens)
    return int(2 * heads * (key_width + value_width) * (tokens * r - r * (r - 1) / 2))


# %% a_generator
# Right: what each token sees, counted from 1.
def compared_flops(tokens, heads, key_width, value_width, window):
    return 2 * heads * (key_width + value_width) * sum(min(token, window) for token in range(1, tokens + 1))
