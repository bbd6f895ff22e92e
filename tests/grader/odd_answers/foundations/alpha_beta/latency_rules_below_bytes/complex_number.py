# Wrong: a complex number.
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return complex(ranks * latency_s * bandwidth_bytes_per_s, 1)
