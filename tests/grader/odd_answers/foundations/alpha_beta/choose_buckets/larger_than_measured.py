# Wrong: buckets larger than any that was measured.
# Message: a whole number from 2 to 8 number of buckets, none of them smaller or larger than measured: 1

import numpy as np


def choose_buckets(points, *, total_bytes, compute_s):
    n, t = np.array(points, float).T
    k = np.arange(1, 5001)
    b = np.interp(total_bytes / k, n, t)
    return int(k[np.argmin(np.maximum(compute_s + b, compute_s / k + k * b))])
