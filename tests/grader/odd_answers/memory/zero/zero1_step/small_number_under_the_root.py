# Wrong: the small number belongs beside the root; where gradients are small it is what counts.
# Known mistake: 10⁻⁸ is added to the root; yours is added below it, where it weighs as 10⁻⁴.
from snippets.simulation.machine import AllGather, ReduceScatter


def zero1_step(rank, step, learning_rate):
    gradient = (yield ReduceScatter(rank.gradients)) / rank.ranks
    rank.first += 0.1 * (gradient - rank.first)
    rank.second += 0.001 * (gradient**2 - rank.second)
    first, second = rank.first / (1 - 0.9**step), rank.second / (1 - 0.999**step)
    rank.parameters[rank.shard] -= learning_rate * first / (second + 1e-8) ** 0.5
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)
