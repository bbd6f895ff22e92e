# Wrong: cut down to whole bytes.
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return int(ranks * latency_s * bandwidth_bytes_per_s * 0.999999)
