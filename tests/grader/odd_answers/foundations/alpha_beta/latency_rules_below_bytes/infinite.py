# Wrong: below infinity everything is latency.
# Message: inf
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return float("inf")
