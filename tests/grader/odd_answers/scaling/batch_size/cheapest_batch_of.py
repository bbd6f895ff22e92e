# %% searches
# Right: searches.
import math


def cheapest_batch_of(*, critical_batch, usd_per_step, usd_per_example):
    c, s, e = critical_batch, usd_per_step, usd_per_example
    lo, hi = -30.0, 60.0
    f = lambda t: s * c / math.exp(t) + e * math.exp(t)
    for _ in range(200):
        a = lo + (hi - lo) / 3
        b = hi - (hi - lo) / 3
        lo, hi = (a, hi) if f(a) > f(b) else (lo, b)
    return math.exp(lo)

# %% no_more_than_critical
# Wrong: capped at the critical batch.
# Known mistake: You let the batch grow up to the critical one only. Beyond it steps still get fewer, and where a step is dear that is worth its examples.
def cheapest_batch_of(*, critical_batch, usd_per_step, usd_per_example):
    return min((critical_batch * usd_per_step / usd_per_example) ** 0.5, float(critical_batch))
