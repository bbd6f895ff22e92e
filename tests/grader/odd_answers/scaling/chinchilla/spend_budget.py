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

# %% whole_tokens
# Wrong: leaves a part of a token unspent, which matters in a small budget; it passed once.
# Message: loss
from __future__ import annotations


def spend_budget(
    sizes: list[float],
    *,
    flops: float,
    inference_tokens: float,
    most_tokens: float,
    fit: tuple[float, float, float, float, float],
) -> tuple[int, float]:
    # Each model leaves so much for its training; some have more than there are tokens.
    E, A, B, alpha, beta = fit
    found = []
    for place, size in enumerate(sizes):
        tokens = min(most_tokens, (flops - 2 * size * inference_tokens) / (6 * size))
        if tokens > 0:
            found.append((E + A / size**alpha + B / tokens**beta, place, tokens))
    _, place, tokens = min(found)
    return place, float(int(tokens))

# %% nearest_token
# Wrong: rounds to the nearest token, more than the budget pays for; it passed once.
# Message: more than
from __future__ import annotations


def spend_budget(
    sizes: list[float],
    *,
    flops: float,
    inference_tokens: float,
    most_tokens: float,
    fit: tuple[float, float, float, float, float],
) -> tuple[int, float]:
    # Each model leaves so much for its training; some have more than there are tokens.
    E, A, B, alpha, beta = fit
    found = []
    for place, size in enumerate(sizes):
        tokens = min(most_tokens, (flops - 2 * size * inference_tokens) / (6 * size))
        if tokens > 0:
            found.append((E + A / size**alpha + B / tokens**beta, place, tokens))
    _, place, tokens = min(found)
    return place, round(tokens)

# %% another_design
# Right: the largest model within 0.00005 nats of the best, and a millionth of its tokens saved.
def spend_budget(sizes, *, flops, inference_tokens, most_tokens, fit):
    E, A, B, alpha, beta = fit
    best = None
    for place in sorted(range(len(sizes)), key=lambda place: -sizes[place]):
        n = sizes[place]
        d = min((flops / n - 2 * inference_tokens) / 6, most_tokens) * (1 - 1e-6)
        if d <= 0:
            continue
        loss = E + A * n**-alpha + B * d**-beta
        if best is None or loss < best[0] - 5e-5:
            best = loss, place, d
    return best[1], best[2]
