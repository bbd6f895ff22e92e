# Wrong: the mean time between failures is that of one device.
# Message: a failure every 0.251 h
import math


def expected_s(W, tau, d, R, M):
    x = (tau + d) / M
    if x > 600 or R / M > 600:
        return math.inf
    return W / tau * M * math.exp(R / M) * math.expm1(x)


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    d, R = checkpoint_s, restart_s
    best = None
    for i, (rate, price, mtbf, most) in enumerate(offers):
        for n in range(1, most + 1):
            M = 3600 * mtbf
            W = flops / (rate * n)
            tau = min(math.sqrt(2 * d * M), W)
            T = expected_s(W, tau, d, R, M)
            cost = n * price * T / 3600
            if T <= deadline_h * 3600 and cost <= budget_usd:
                key = cost
                if best is None or key < best[0]:
                    best = (key, i, n, tau)
    return best[1:]
