# %% a_row_for_each_size
# Right: tries all three at many sizes, and has a row for each of them.
def lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    k = ranks.bit_length() - 1
    fold = int(2**k < ranks)
    terms = {
        "recursive_doubling": (k + 2 * fold, k + 2 * fold, k + fold),
        "halving_doubling": (2 * k + 2 * fold, 2 - 2 / 2**k + 2 * fold, 1 - 1 / 2**k + fold),
        "ring": (2 * (ranks - 1), 2 - 2 / ranks, 1 - 1 / ranks),
    }
    return {x: (s * latency_s, b / bandwidth_bytes_per_s + r * reduction_s_per_byte) for x, (s, b, r) in terms.items()}


def choose_all_reduce(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    found = lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    sizes = [0.0, *(2 ** (step / 40) for step in range(320, 1400))]
    return [(n, min(found, key=lambda x: found[x][0] + found[x][1] * n)) for n in sizes]

# %% three_digits
# Right: first sizes rounded to three digits are within the margin,
# and lists pass for tuples, NumPy's numbers for floats.
import numpy as np

def lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    k = ranks.bit_length() - 1
    fold = int(2**k < ranks)
    terms = {
        "recursive_doubling": (k + 2 * fold, k + 2 * fold, k + fold),
        "halving_doubling": (2 * k + 2 * fold, 2 - 2 / 2**k + 2 * fold, 1 - 1 / 2**k + fold),
        "ring": (2 * (ranks - 1), 2 - 2 / ranks, 1 - 1 / ranks),
    }
    return {x: (s * latency_s, b / bandwidth_bytes_per_s + r * reduction_s_per_byte) for x, (s, b, r) in terms.items()}


def choose_all_reduce(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    found = lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    table, now = [], min(found, key=lambda x: found[x])
    table.append([np.float64(0), now])
    while later := [x for x in found if found[x][1] < found[now][1] * 0.999999]:
        meets = {x: (found[x][0] - found[now][0]) / (found[now][1] - found[x][1]) for x in later}
        now = min(later, key=meets.get)
        table.append([np.float64(f"{meets[now]:.2e}"), now])
    return table

# %% twice_a_rings_bytes
# Wrong: off powers of two it takes exactly twice a ring's bytes for halving and doubling. It passed once.

def lines(ranks, alpha, beta, gamma):
    N = ranks
    k = N.bit_length() - 1
    P = 2 ** k
    f = P < N
    raw = {
        "ring": (2 * (N - 1), 2 * (N - 1) / N, (N - 1) / N),
        "recursive_doubling": (k + 2 * f, k + 2 * f, k + f),
        "halving_doubling": (2 * k + 2 * f, 2 * (2 * (N - 1) / N if f else (P - 1) / P), (P - 1) / P + f),
    }
    return {a: (S * alpha, b / beta + r * gamma) for a, (S, b, r) in raw.items()}

def choose_all_reduce(*, ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    rest = lines(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    name = min(rest, key=lambda a: rest[a])
    table = [(0.0, name)]
    while True:
        a0, s0 = rest[name]
        meet = [((a - a0) / (s0 - s), s, other) for other, (a, s) in rest.items() if s < s0]
        if not meet: return table
        n, _, name = min(meet)
        table.append((n, name))

# %% no_more_than_64
# Wrong: its largest power of two is 64. It passed once.

def choose_all_reduce(*, ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    k = min(ranks.bit_length() - 1, 6)
    f = 2**k != ranks
    raw = {
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks, (ranks - 1) / ranks),
        "recursive_doubling": (k + 2 * f, k + 2 * f, k + f),
        "halving_doubling": (2 * k + 2 * f, 2 - 2 / 2**k + 2 * f, 1 - 1 / 2**k + f),
    }
    rest = {a: (S * latency_s, b / bandwidth_bytes_per_s + r * reduction_s_per_byte) for a, (S, b, r) in raw.items()}
    sizes = [0.0, *(2 ** (step / 40) for step in range(320, 1400))]
    return [(n, min(rest, key=lambda a: rest[a][0] + rest[a][1] * n)) for n in sizes]

# %% free_additions_of_many
# Wrong: adding is free beyond 32 ranks. It passed once.

def choose_all_reduce(*, ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte):
    k = ranks.bit_length() - 1
    f = 2**k != ranks
    raw = {
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks, (ranks - 1) / ranks),
        "recursive_doubling": (k + 2 * f, k + 2 * f, k + f),
        "halving_doubling": (2 * k + 2 * f, 2 - 2 / 2**k + 2 * f, 1 - 1 / 2**k + f),
    }
    gamma = reduction_s_per_byte if ranks <= 32 else 0
    rest = {a: (S * latency_s, b / bandwidth_bytes_per_s + r * gamma) for a, (S, b, r) in raw.items()}
    sizes = [0.0, *(2 ** (step / 40) for step in range(320, 1400))]
    return [(n, min(rest, key=lambda a: rest[a][0] + rest[a][1] * n)) for n in sizes]
