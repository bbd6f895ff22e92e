# Wrong: asks a group without itself.
# Message: which has to be a list of ranks
from snippets.simulation.machine import AllReduce


def grid_all_reduce(*, rank, sides, numbers):
    return (yield AllReduce(numbers, group=[rank + 1]))
