# Right: the first of the least, by min with a key.
def segment_length(*, layers, input_bytes, kept_bytes):
    divisors = [k for k in range(1, layers + 1) if not layers % k]
    return min(divisors, key=lambda k: layers / k * input_bytes + k * kept_bytes)
