# Right: another choice within the 2%, the fewest buckets that are; the link's clock is advanced.
def sent(points, size):
    for (low, early), (high, late) in zip(points, points[1:]):
        if low <= size <= high:
            return early + (late - early) * (size - low) / (high - low)


def end(points, total, compute, k):
    free = 0
    for bucket in range(k):
        free = max(free, compute * (bucket + 1) / k) + sent(points, total / k)
    return free


def choose_buckets(points, total_bytes, compute_s):
    allowed = range(-(-total_bytes // points[-1][0]).__int__(), int(total_bytes // points[0][0]) + 1)
    ends = {k: end(points, total_bytes, compute_s, k) for k in allowed}
    return next(k for k in ends if ends[k] <= 1.0199 * min(ends.values()))
