# Wrong: a recurrence from (1 - p)**tokens, which is 0 in floats.


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
    def dropped(E, k, C):
        p = k / E
        if p == 1:
            return max(0, tokens - C) / tokens
        q = (1 - p) ** tokens
        t = 0.0
        for x in range(tokens + 1):
            if x > C:
                t += (x - C) * q
            q *= (tokens - x) / (x + 1) * p / (1 - p)
        return E * t / (k * tokens)

    for E in range(ranks, 16 * ranks + 1, ranks):
        for k in (1, 2, 4, 8):
            if k < least_per_token or k > E or active_width % k:
                continue
            if E * 3 * hidden * active_width // k < least_parameters:
                continue
            for C in range(ranks, tokens + ranks, ranks):
                if E // ranks * (54 * hidden * active_width // k + 4 * hidden * C) > memory_bytes:
                    break
                if (ranks - 1) * E // ranks * C // ranks * 2 * hidden > most_sent_bytes:
                    break
                if dropped(E, k, C) <= most_dropped:
                    return E, k, C
    return None
