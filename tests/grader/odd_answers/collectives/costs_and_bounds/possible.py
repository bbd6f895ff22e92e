# %% five_per_cent
# Wrong: lets 5% pass.
# Known mistake: A time that is a little too short is impossible too: compare with the floor itself, without slack.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    return 0.95 * share * size_bytes <= time_s * bandwidth_bytes_per_s

# %% numpy_bool
# Right: NumPy's truth.
import numpy as np


def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = {"all_reduce": 2.0, "broadcast": ranks / (ranks - 1), "reduce": ranks / (ranks - 1)}.get(primitive, 1.0)
    floor = np.float64(share * size_bytes * (ranks - 1) / ranks)
    return floor <= np.float64(time_s * bandwidth_bytes_per_s) * (1 + 1e-12)

# %% one_and_zero
# Right: 1 and 0 for True and False.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = 1 if primitive in ("broadcast", "reduce") else (1 + (primitive == "all_reduce")) * (ranks - 1) / ranks
    return int(share * size_bytes <= time_s * bandwidth_bytes_per_s)

# %% whole_bytes
# Wrong: shares of whole bytes. It passed once.
def possible(primitive, ranks, size_bytes, time_s, bandwidth_bytes_per_s):
    share = -(-size_bytes // ranks) * (ranks - 1)
    sent = {"all_reduce": 2 * share, "broadcast": size_bytes, "reduce": size_bytes}.get(primitive, share)
    return sent <= time_s * bandwidth_bytes_per_s
