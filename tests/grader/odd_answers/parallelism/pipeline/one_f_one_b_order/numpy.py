# Right: NumPy's integers in tuples.
import numpy as np


def one_f_one_b_order(stages, micro_batches, stage):
    ahead = min(stages - 1 - stage, micro_batches)
    forward = [(i - ahead - 0.5, "F", i) for i in np.arange(micro_batches)]
    backward = [(i + 0.0, "B", i) for i in np.arange(micro_batches)]
    return tuple((kind, i) for _, kind, i in sorted(forward + backward))
