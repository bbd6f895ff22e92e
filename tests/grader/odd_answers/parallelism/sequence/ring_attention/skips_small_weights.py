# Wrong: leaves out keys whose scores are 10 lower.
import math

from snippets.simulation.machine import Exchange


def ring_attention(*, rank, ranks, queries, keys, values):
    x = len(queries)
    state = [(-math.inf, 0.0, 0.0)] * x
    k, v = list(keys), list(values)
    for t in range(ranks):
        owner = (rank - t) % ranks
        for i, q in enumerate(queries):
            m, total, o = state[i]
            for j in range(x):
                if owner * x + j > rank * x + i:
                    continue
                s = q * k[j]
                if s < m - 10:
                    continue
                new = max(m, s)
                a, b = total * math.exp(m - new), math.exp(s - new)
                o = (a * o + b * v[j]) / (a + b)
                m, total = new, a + b
            state[i] = m, total, o
        if t < ranks - 1:
            arrived = yield Exchange((rank + 1) % ranks, k + v, (rank - 1) % ranks)
            k, v = arrived[:x], arrived[x:]
    return [o for _, _, o in state]
