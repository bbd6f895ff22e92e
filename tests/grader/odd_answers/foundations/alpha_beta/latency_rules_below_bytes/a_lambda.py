# Right: a lambda with the name.
latency_rules_below_bytes = lambda *, ranks, latency_s, bandwidth_bytes_per_s: ranks * latency_s * bandwidth_bytes_per_s
