# Wrong: printed and not returned.
# Message: nothing is returned: does every way through end in a `return`?
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    print(ranks * latency_s * bandwidth_bytes_per_s)
