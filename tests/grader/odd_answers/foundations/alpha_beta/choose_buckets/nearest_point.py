# Wrong: the time of the nearest point stands for all sizes near it.
def choose_buckets(points, *, total_bytes, compute_s):
    def end(k):
        busy = min(points, key=lambda point: abs(point[0] - total_bytes / k))[1]
        return max(compute_s + busy, compute_s / k + k * busy)

    allowed = [k for k in range(1, 10_000) if points[0][0] <= total_bytes / k <= points[-1][0]]
    return min(allowed, key=end)
