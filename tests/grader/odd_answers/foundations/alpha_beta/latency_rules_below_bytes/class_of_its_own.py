# Wrong: an object that holds the number.
class Size:
    def __init__(self, size):
        self.bytes = size

    def __repr__(self):
        return f"{self.bytes} bytes"


def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return Size(ranks * latency_s * bandwidth_bytes_per_s)
