# Right: functools.cache around it.
from functools import cache


@cache
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return ranks * latency_s * bandwidth_bytes_per_s
