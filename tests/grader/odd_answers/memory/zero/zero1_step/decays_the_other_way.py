# Wrong: 0.9 of the new and 0.1 of the old.
from snippets.simulation.machine import AllGather, ReduceScatter


def zero1_step(rank, step, learning_rate):
    gradient = (yield ReduceScatter(rank.gradients)) / rank.ranks
    rank.first += 0.9 * (gradient - rank.first)
    rank.second += 0.999 * (gradient**2 - rank.second)
    first, second = rank.first / (1 - 0.1**step), rank.second / (1 - 0.001**step)
    rank.parameters[rank.shard] -= learning_rate * first / (second**0.5 + 1e-8)
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)
