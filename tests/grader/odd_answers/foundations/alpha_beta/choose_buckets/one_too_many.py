# Wrong: one bucket more than is best.
# Message: ends by 14.28 s (with k = 4 at 14 s) the step: ends at 16.6 s with k = 5

import math


def choose_buckets(points, *, total_bytes, compute_s):
    def b(n):
        for (n0, t0), (n1, t1) in zip(points, points[1:]):
            if n0 <= n <= n1:
                return t0 + (t1 - t0) * (n - n0) / (n1 - n0)
        raise ValueError(n)

    best = None
    for k in range(math.ceil(total_bytes / points[-1][0]), math.floor(total_bytes / points[0][0]) + 1):
        t = b(total_bytes / k)
        e = max(compute_s + t, compute_s / k + k * t)
        if best is None or e < best[0]:
            best = (e, k)
    return best[1] + 1
