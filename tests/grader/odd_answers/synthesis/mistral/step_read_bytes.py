# %% marks
# Right: marks layer and expert together.
def step_read_bytes(chosen, lengths, *, expert_bytes, rest_bytes, token_bytes, window):
    pairs = {(k, e) for k, layer in enumerate(chosen) for own in layer for e in own}
    return rest_bytes + expert_bytes * len(pairs) + token_bytes * sum(sorted((n, window))[0] for n in lengths)


# %% expected
# Wrong: takes the expected number, in place of the choices as they were.
def step_read_bytes(chosen, lengths, *, expert_bytes, rest_bytes, token_bytes, window):
    experts = 8
    read = experts * (1 - (1 - len(chosen[0][0]) / experts) ** len(lengths))
    cache = sum(min(n, window) for n in lengths) * token_bytes
    return int(rest_bytes + len(chosen) * read * expert_bytes + cache)


# %% sees_one_more
# Wrong: a window and the token itself.
def step_read_bytes(chosen, lengths, *, expert_bytes, rest_bytes, token_bytes, window):
    pairs = {(k, e) for k, layer in enumerate(chosen) for own in layer for e in own}
    return rest_bytes + expert_bytes * len(pairs) + token_bytes * sum(min(n, window + 1) for n in lengths)


# %% longest_for_all
# Wrong: reads for each request as much as for the longest.
def step_read_bytes(chosen, lengths, *, expert_bytes, rest_bytes, token_bytes, window):
    pairs = {(k, e) for k, layer in enumerate(chosen) for own in layer for e in own}
    return rest_bytes + expert_bytes * len(pairs) + token_bytes * len(lengths) * min(max(lengths), window)
