# Wrong: any k from 1 to 8.
import math


def choose_experts(
    *,
    ranks,
    tokens,
    hidden,
    active_width,
    least_parameters,
    least_per_token,
    memory_bytes,
    most_sent_bytes,
    most_dropped,
):
    def pmf(p, n):
        if p >= 1:
            return [0.0] * n + [1.0]
        return [
            math.exp(
                math.lgamma(n + 1)
                - math.lgamma(x + 1)
                - math.lgamma(n - x + 1)
                + x * math.log(p)
                + (n - x) * math.log1p(-p)
            )
            for x in range(n + 1)
        ]

    for E, k in [(E, k) for E in range(ranks, 16 * ranks + 1, ranks) for k in (1, 2, 3, 4, 5, 6, 7, 8)]:
        if k > E or k < least_per_token or active_width % k:
            continue
        X = 3 * hidden * (active_width // k)
        if least_parameters > E * X:
            continue
        own = E // ranks
        chance = pmf(k / E, tokens)
        for C in range(ranks, tokens + ranks, ranks):
            held = own * (18 * X + 4 * hidden * C)
            sent = (E - own) * C // ranks * 2 * hidden
            if held > memory_bytes or sent > most_sent_bytes:
                break
            lost = sum((x - C) * chance[x] for x in range(C + 1, tokens + 1))
            if E * lost / (k * tokens) <= most_dropped:
                return E, k, C
    return None
