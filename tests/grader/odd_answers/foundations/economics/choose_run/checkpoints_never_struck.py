# Wrong: checkpoints never struck, chosen as far from both limits as can be.
# Message: 155.00 h that are allowed
import math


def expected_s(W, tau, d, R, M):
    x = (tau + d) / M
    if x > 600 or R / M > 600:
        return math.inf
    return W / tau * (d + M * math.exp(R / M) * math.expm1(tau / M))


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    d, R = checkpoint_s, restart_s
    best = None
    for i, (rate, price, mtbf, most) in enumerate(offers):
        for n in range(1, most + 1):
            M = 3600 * mtbf / n
            W = flops / (rate * n)
            tau = min(math.sqrt(2 * d * M), W)
            T = expected_s(W, tau, d, R, M)
            cost = n * price * T / 3600
            if T <= deadline_h * 3600 and cost <= budget_usd:
                key = max(T / 3600 / deadline_h, cost / budget_usd)
                if best is None or key < best[0]:
                    best = (key, i, n, tau)
    return best[1:]
