# Wrong: counts both phases for the waits, and one for the bytes.
# Message: the expected × 2
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return 2 * ranks * latency_s * bandwidth_bytes_per_s
