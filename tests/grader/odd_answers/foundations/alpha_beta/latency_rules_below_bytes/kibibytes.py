# Wrong: the right size in KiB.
# Message: the expected ÷ 1024
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return ranks * latency_s * bandwidth_bytes_per_s / 1024
