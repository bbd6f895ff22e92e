# Wrong: sends nothing over the link from the last rank to the first; asked is a ring that passes every block on.
# Message: bytes sent by each rank: [16, 0]
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
                if j >= len(k) or owner * x + j > rank * x + i:
                    continue
                s = q * k[j]
                new = max(m, s)
                a, b = total * math.exp(m - new), math.exp(s - new)
                o = (a * o + b * v[j]) / (a + b)
                m, total = new, a + b
            state[i] = m, total, o
        if t < ranks - 1:
            send = [] if rank == ranks - 1 or not k else k + v
            arrived = yield Exchange((rank + 1) % ranks, send, (rank - 1) % ranks)
            if arrived:
                k, v = arrived[:x], arrived[x:]
            else:
                k = v = []
    return [o for _, _, o in state]
