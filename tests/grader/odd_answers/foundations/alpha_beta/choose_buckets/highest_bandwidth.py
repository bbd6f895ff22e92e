# Wrong: buckets of the size that moves the most bytes in a second.
def choose_buckets(points, *, total_bytes, compute_s):
    size, _ = max(points, key=lambda point: point[0] / point[1])
    return int(-(-total_bytes // size))
