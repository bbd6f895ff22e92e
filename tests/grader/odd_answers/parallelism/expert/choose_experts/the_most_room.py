# Right: the most room that memory and network allow, many experts first.
from math import exp, log1p


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
    for E in range(16 * ranks, 0, -ranks):
        for k in (8, 4, 2, 1):
            if (
                k < least_per_token
                or k > E
                or active_width % k
                or 3 * hidden * active_width // k * E < least_parameters
            ):
                continue
            own = E // ranks
            C = (memory_bytes // own - 54 * hidden * active_width // k) // (4 * hidden)
            if ranks > 1:
                C = min(C, most_sent_bytes // ((ranks - 1) * own * 2 * hidden) * ranks)
            C = min(C, tokens + ranks) // ranks * ranks
            if C < 1:
                continue
            p, lost = k / E, 0.0
            if p == 1:
                lost = max(0, tokens - C)
            else:
                log = tokens * log1p(-p)
                for x in range(tokens + 1):
                    lost += max(0, x - C) * exp(log)
                    if x < tokens:
                        log += log1p((tokens - x) / (x + 1) * p / (1 - p) - 1)
            if E * lost <= most_dropped * k * tokens * (1 + 1e-9):
                return [E, k, C]
    return None
