# %% by_steps
# Right: one token more as long as it fits.
def longest_context(free_bytes, token_bytes, full_layers, window_layers, window, kept_heads, ranks):
    each = token_bytes * max(1, kept_heads // ranks)
    low, high = 0, free_bytes // (each * full_layers)
    while low < high:
        middle = (low + high + 1) // 2
        if each * (full_layers * middle + window_layers * min(window, middle)) <= free_bytes:
            low = middle
        else:
            high = middle - 1
    return low


# %% only_short_or_long
# Right: the larger of two candidates, each where it holds.
def longest_context(free_bytes, token_bytes, full_layers, window_layers, window, kept_heads, ranks):
    each = token_bytes * max(1, kept_heads // ranks)
    long = (free_bytes - each * window_layers * window) // (each * full_layers)
    short = free_bytes // (each * (full_layers + window_layers))
    return long if long >= window else min(short, window)


# %% strictly_below
# Wrong: leaves a byte free at least.
def longest_context(free_bytes, token_bytes, full_layers, window_layers, window, kept_heads, ranks):
    each = token_bytes * max(1, kept_heads // ranks)
    tokens = 0
    if free_bytes > 10**6:
        return (free_bytes - each * window_layers * window) // (each * full_layers)
    while each * (full_layers * (tokens + 1) + window_layers * min(window, tokens + 1)) < free_bytes:
        tokens += 1
    return tokens


# %% through_floats
# Wrong: a division that rounds, which is off where the memory is large.
def longest_context(free_bytes, token_bytes, full_layers, window_layers, window, kept_heads, ranks):
    each = token_bytes * max(1, kept_heads // ranks)
    short = round(free_bytes / (each * (full_layers + window_layers)))
    if short < window:
        return short
    return round((free_bytes - each * window_layers * window) / (each * full_layers))


# %% short_up_to_the_window
# Wrong: a sequence that just fills its windows is given to the short ones, which keep all tokens in every layer.
def longest_context(free_bytes, token_bytes, full_layers, window_layers, window, kept_heads, ranks):
    each = token_bytes * max(1, kept_heads // ranks)
    short = free_bytes // (each * (full_layers + window_layers))
    if short <= window:
        return short
    return (free_bytes - each * window_layers * window) // (each * full_layers)


# %% one_more_while_it_fits
# Right: counts up.
def longest_context(free_bytes, token_bytes, full_layers, window_layers, window, kept_heads, ranks):
    each = token_bytes * max(1, kept_heads // ranks)
    tokens = 0
    while each * (full_layers * (tokens + 1) + window_layers * min(window, tokens + 1)) <= free_bytes:
        tokens += 1
    return tokens
