# Wrong: everybody receives first.
from snippets.simulation.machine import Receive, Send


def ring_all_reduce(rank, ranks, numbers):
    arrived = yield Receive(source=(rank - 1) % ranks)
    yield Send(to=(rank + 1) % ranks, numbers=numbers)
    return [a + b for a, b in zip(numbers, arrived)]
