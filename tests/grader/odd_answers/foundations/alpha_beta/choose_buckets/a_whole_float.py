# Right: the most buckets within the 2%, as a float.
def sent(points, size):
    for (low, early), (high, late) in zip(points, points[1:]):
        if low <= size <= high:
            return early + (late - early) * (size - low) / (high - low)


def choose_buckets(points, *, total_bytes, compute_s):
    ends = {}
    for k in range(1, int(total_bytes // points[0][0]) + 1):
        if total_bytes / k <= points[-1][0]:
            busy = sent(points, total_bytes / k)
            ends[k] = max(compute_s + busy, compute_s / k + k * busy)
    return float(max(k for k in ends if ends[k] <= 1.0199 * min(ends.values())))
