# %% a_list_and_floats
# Right: as a list, the place as a float, a hair fewer tokens.
def spend_budget(sizes, *, flops, inference_tokens, most_tokens, fit):
    E, A, B, a, b = fit
    best = None
    for place in range(len(sizes)):
        n = sizes[place]
        d = min(most_tokens, (flops / n - 2 * inference_tokens) / 6) * (1 - 1e-9)
        if d <= 0:
            continue
        loss = A / n**a + B / d**b
        if best is None or loss < best[0]:
            best = [loss, place, d]
    return best[1], best[2]

# %% more_tokens_than_parameters
# Wrong: leaves out each model that would see fewer tokens than it has parameters. It passed once.
def spend_budget(sizes, *, flops, inference_tokens, most_tokens, fit):
    E, A, B, a, b = fit
    best = None
    for place, n in enumerate(sizes):
        d = min(most_tokens, (flops - 2 * n * inference_tokens) / (6 * n))
        if d < n:
            continue
        loss = A / n**a + B / d**b
        if best is None or loss < best[0]:
            best = loss, place, d
    return best[1:]
