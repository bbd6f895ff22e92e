# Wrong: at most four blocks.
import math

from snippets.simulation.machine import Exchange


def ring_attention(*, rank, ranks, queries, keys, values):
    x = len(queries)
    state = [(-math.inf, 0.0, 0.0)] * x
    k, v = list(keys), list(values)
    for t in range(min(ranks, 4)):
        owner = (rank - t) % ranks
        for i, q in enumerate(queries):
            m, total, o = state[i]
            for j in range(x):
                if owner * x + j > rank * x + i:
                    continue
                s = q * k[j]
                new = max(m, s)
                a, b = total * math.exp(m - new), math.exp(s - new)
                o = (a * o + b * v[j]) / (a + b)
                m, total = new, a + b
            state[i] = m, total, o
        if t < ranks - 1:
            arrived = yield Exchange((rank + 1) % ranks, k + v, (rank - 1) % ranks)
            k, v = arrived[:x], arrived[x:]
    return [o for _, _, o in state]
