# Wrong: tries lengths up to six.
def segment_length(*, layers, input_bytes, kept_bytes):
    divisors = [k for k in range(1, 7) if not layers % k]
    return min(divisors, key=lambda k: layers // k * input_bytes + k * kept_bytes)
