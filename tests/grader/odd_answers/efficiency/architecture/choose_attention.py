# %% sorted_pairs
# Right: all that fit, the least first.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        seen = [tokens] * full + [min(window, tokens)] * other
        if sequences * size * max(1, heads // ranks) * sum(seen) <= free_bytes:
            flops = sum(sum(min(q + 1, s) for q in range(min(tokens, s))) + max(0, tokens - s) * s for s in seen)
            fitting.append((pair * flops, number))
    return min(fitting)[1] if fitting else None


# %% minus_one_for_none
# Wrong: a number where none fits.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        reach = min(window, tokens)
        if sequences * size * max(1, heads // ranks) * (full * tokens + other * reach) <= free_bytes:
            pairs = full * tokens * (tokens + 1) // 2 + other * (tokens * reach - reach * (reach - 1) // 2)
            fitting.append((pair * pairs, number))
    return min(fitting)[1] if fitting else -1


# %% a_token_at_the_end
# Wrong: compares what the last token compares, in place of the whole sequence.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        reach = min(window, tokens)
        if sequences * size * max(1, heads // ranks) * (full * tokens + other * reach) <= free_bytes:
            fitting.append((pair * (full * tokens + other * reach), number))
    return min(fitting)[1] if fitting else None


# %% all_gpus_together
# Wrong: compares the caches of all GPUs with the memory of all.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        reach = min(window, tokens)
        if sequences * size * heads * (full * tokens + other * reach) <= free_bytes * ranks:
            pairs = full * tokens * (tokens + 1) // 2 + other * (tokens * reach - reach * (reach - 1) // 2)
            fitting.append((pair * pairs, number))
    return min(fitting)[1] if fitting else None


# %% the_smaller_cache_of_equals
# Wrong: of equal ones the one that keeps least, in place of the first.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        reach = min(window, tokens)
        held = sequences * size * max(1, heads // ranks) * (full * tokens + other * reach)
        if held <= free_bytes:
            pairs = full * tokens * (tokens + 1) // 2 + other * (tokens * reach - reach * (reach - 1) // 2)
            fitting.append((pair * pairs, held, number))
    return min(fitting)[2] if fitting else None


# %% the_larger_cache_of_equals
# Wrong: of equal ones the one that keeps most, in place of the first.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        reach = min(window, tokens)
        held = sequences * size * max(1, heads // ranks) * (full * tokens + other * reach)
        if held <= free_bytes:
            pairs = full * tokens * (tokens + 1) // 2 + other * (tokens * reach - reach * (reach - 1) // 2)
            fitting.append((pair * pairs, -held, number))
    return min(fitting)[2] if fitting else None


# %% the_cheaper_pair_of_equals
# Wrong: of equal ones the one whose pair takes least, in place of the first.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        reach = min(window, tokens)
        held = sequences * size * max(1, heads // ranks) * (full * tokens + other * reach)
        if held <= free_bytes:
            pairs = full * tokens * (tokens + 1) // 2 + other * (tokens * reach - reach * (reach - 1) // 2)
            fitting.append((pair * pairs, pair, number))
    return min(fitting)[2] if fitting else None


# %% a_whole_head_in_full_layers_alone
# Wrong: less than one head in the layers with windows.
def choose_attention(designs, tokens, sequences, free_bytes, ranks):
    fitting = []
    for number, (size, heads, full, other, window, pair) in enumerate(designs):
        reach = min(window, tokens)
        kept = max(1, heads // ranks) * full * tokens + heads / ranks * other * reach
        if sequences * size * kept <= free_bytes:
            pairs = full * tokens * (tokens + 1) // 2 + other * (tokens * reach - reach * (reach - 1) // 2)
            fitting.append((pair * pairs, number))
    return min(fitting)[1] if fitting else None
