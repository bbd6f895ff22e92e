# Wrong: overheads to first order, as far from both limits as can be.
# Message: 155.00 h that are allowed
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1, max(1, most // 400)):
            mtbf, work = 3600 * mtbf_h / devices, flops / devices / rate
            for factor in (0.7, 0.9):
                interval = min(factor * (2 * checkpoint_s * mtbf) ** 0.5, work)
                time = work * (1 + checkpoint_s / interval + (interval / 2 + restart_s) / mtbf)
                cost = devices * usd * time / 3600
                broken = max(time / 3600 / deadline_h, cost / budget_usd)
                if best is None or broken < best[0]:
                    best = (broken, (number, devices, interval))
    return best[1]
