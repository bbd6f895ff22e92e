# Wrong: returns a function.
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    def bytes_at_half():
        return ranks * latency_s * bandwidth_bytes_per_s

    return bytes_at_half
