# Right: a list of the name and the time.
from math import ceil, floor, log2


def fastest_all_reduce(size_bytes, ranks, latency_s, bandwidth_bytes_per_s):
    alpha, n_beta = latency_s, size_bytes / bandwidth_bytes_per_s
    power = floor(log2(ranks))
    more = 0 if 2**power == ranks else 2
    times = [
        ["binomial", 2 * ceil(log2(ranks)) * (alpha + n_beta)],
        ["ring", 2 * (ranks - 1) * (alpha + n_beta / ranks)],
        ["recursive_doubling", (power + more) * (alpha + n_beta)],
        ["halving_doubling", (2 * power + more) * alpha + (2 * (1 - 0.5**power) + more) * n_beta],
    ]
    return sorted(times, key=lambda pair: pair[1])[0]
