# %% with_numpy_in_place
# Right: in place, with NumPy's functions.
import numpy as np

from snippets.simulation.machine import AllGather, ReduceScatter


def zero1_step(rank, step, learning_rate):
    gradient = (yield ReduceScatter(rank.gradients)) / rank.ranks
    rank.first[:] = 0.9 * rank.first + 0.1 * gradient
    rank.second[:] = 0.999 * rank.second + 0.001 * gradient**2
    first, second = rank.first / (1 - 0.9**step), rank.second / (1 - 0.999**step)
    shard = rank.parameters[rank.shard]
    shard -= learning_rate * first / (np.sqrt(second) + 1e-8)
    yield AllGather(shard, into=rank.parameters)

# %% yields_a_temporary_array
# Right: what it yields is made for that moment, and nothing else refers to it.
from snippets.simulation.machine import AllGather, ReduceScatter


def zero1_step(rank, step, learning_rate):
    gradient = (yield ReduceScatter(1 * rank.gradients)) / rank.ranks
    rank.first += 0.1 * (gradient - rank.first)
    rank.second += 0.001 * (gradient**2 - rank.second)
    first, second = rank.first / (1 - 0.9**step), rank.second / (1 - 0.999**step)
    rank.parameters[rank.shard] -= learning_rate * first / (second**0.5 + 1e-8)
    yield AllGather(rank.parameters[rank.shard].copy(), into=rank.parameters)
