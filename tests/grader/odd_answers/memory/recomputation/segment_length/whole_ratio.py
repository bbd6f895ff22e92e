# Wrong: rounds the ratio of record and input down.
def segment_length(*, layers, input_bytes, kept_bytes):
    ratio = kept_bytes // input_bytes
    divisors = [k for k in range(1, layers + 1) if not layers % k]
    return min(divisors, key=lambda k: layers // k + k * ratio)
