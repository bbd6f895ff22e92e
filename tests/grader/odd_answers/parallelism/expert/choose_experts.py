# %% at_least_the_share
# Wrong: room below the even share is not tried. It passed once.
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

    for E, k in [(E, k) for E in range(ranks, 16 * ranks + 1, ranks) for k in (1, 2, 4, 8)]:
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
            if k * tokens / E > C:
                continue
            lost = sum((x - C) * chance[x] for x in range(C + 1, tokens + 1))
            if E * lost / (k * tokens) <= most_dropped:
                return E, k, C
    return None

# %% one_per_cent_more
# Wrong: 1% more dropped than allowed. It passed once.
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

    for E, k in [(E, k) for E in range(ranks, 16 * ranks + 1, ranks) for k in (1, 2, 4, 8)]:
        if k > E or k < least_per_token or active_width % k:
            continue
        X = 3 * hidden * (active_width // k)
        if least_parameters > E * X:
            continue
        own = E // ranks
        chance = pmf(k / E, tokens)
        best = 0
        for C in range(ranks, tokens + ranks, ranks):
            held = own * (18 * X + 4 * hidden * C)
            sent = (E - own) * C // ranks * 2 * hidden
            if held > memory_bytes or sent > most_sent_bytes:
                break
            best = C
        C = best
        if C == 0:
            continue
        lost = sum((x - C) * chance[x] for x in range(C + 1, tokens + 1))
        if E * lost / (k * tokens) <= 1.01 * most_dropped:
            return E, k, C
    return None

# %% fewest_experts
# Wrong: of each k only the fewest experts with enough parameters. It passed once.
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
    for k in (8, 4, 2, 1):
        for E in range(ranks, 16 * ranks + 1, ranks):
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
                break
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
            break
    return None

# %% only_the_least
# Wrong: k = least_per_token only. It passed once.
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

    for E, k in [(E, k) for E in range(ranks, 16 * ranks + 1, ranks) for k in (least_per_token,)]:
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

# %% recurrence
# Wrong: a recurrence from (1 - p)**tokens, which is 0 in floats. It passed once.


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

# %% sixteen_of_them
# Wrong: k = 16 as well. It passed once.
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
        for k in (16, 8, 4, 2, 1):
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

# %% the_most_room
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

# %% three_of_them
# Wrong: any k from 1 to 8. It passed once.
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

# %% twice_the_share
# Wrong: room at most twice the even share. It passed once.
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

    for E, k in [(E, k) for E in range(ranks, 16 * ranks + 1, ranks) for k in (1, 2, 4, 8)]:
        if k > E or k < least_per_token or active_width % k:
            continue
        X = 3 * hidden * (active_width // k)
        if least_parameters > E * X:
            continue
        own = E // ranks
        chance = pmf(k / E, tokens)
        best = 0
        for C in range(ranks, 2 * k * tokens // E + ranks, ranks):
            held = own * (18 * X + 4 * hidden * C)
            sent = (E - own) * C // ranks * 2 * hidden
            if held > memory_bytes or sent > most_sent_bytes:
                break
            best = C
        C = best
        if C == 0:
            continue
        lost = sum((x - C) * chance[x] for x in range(C + 1, tokens + 1))
        if E * lost / (k * tokens) <= most_dropped:
            return E, k, C
    return None
