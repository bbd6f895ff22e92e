# Right: a matrix of NumPy's floats.
import numpy as np


def column_matrix(primitive, ranks, column, root=0):
    one = np.eye(ranks)
    everybody = np.ones(ranks)
    return {
        "broadcast": np.outer(everybody, one[root]),
        "reduce": np.outer(one[root], everybody),
        "scatter": np.outer(one[column], one[root]),
        "gather": np.outer(one[root], one[column]),
        "all_gather": np.outer(everybody, one[column]),
        "reduce_scatter": np.outer(one[column], everybody),
        "all_reduce": np.outer(everybody, everybody),
    }[primitive]
