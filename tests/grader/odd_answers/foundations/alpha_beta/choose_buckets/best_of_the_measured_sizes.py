# Wrong: only sizes that were measured are tried, and counts are rounded up.
def choose_buckets(points, *, total_bytes, compute_s):
    counts = {-(-total_bytes // size): (size, time) for size, time in points}
    return int(min(counts, key=lambda k: max(compute_s + counts[k][1], compute_s / k + k * counts[k][1])))
