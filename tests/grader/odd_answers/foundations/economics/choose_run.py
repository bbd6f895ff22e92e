# %% a_list
# Right: a list, with a whole interval.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1, max(1, most // 400)):
            mtbf, work = 3600 * mtbf_h / devices, flops / devices / rate
            for factor in (0.7, 0.9):
                interval = min(factor * (2 * checkpoint_s * mtbf) ** 0.5, work)
                time = work / interval * mtbf * math.expm1((interval + checkpoint_s) / mtbf) * math.exp(restart_s / mtbf)
                cost = devices * usd * time / 3600
                broken = max(time / 3600 / deadline_h, cost / budget_usd)
                if best is None or broken < best[0]:
                    best = (broken, (number, devices, interval))
    return [best[1][0], best[1][1], float(round(best[1][2]))]

# %% a_shorter_interval
# Right: the root without the 2, the cheapest choice in time.
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
            M = 3600 * mtbf / n
            W = flops / (rate * n)
            tau = min(math.sqrt(d * M), W)
            T = expected_s(W, tau, d, R, M)
            cost = n * price * T / 3600
            if T <= deadline_h * 3600 and cost <= budget_usd:
                key = cost
                if best is None or key < best[0]:
                    best = (key, i, n, tau)
    return best[1:]

# %% least_of_the_worse_limit
# Right: the choice whose worse limit is kept by most.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1, max(1, most // 400)):
            mtbf, work = 3600 * mtbf_h / devices, flops / devices / rate
            for factor in (0.7, 0.9):
                interval = min(factor * (2 * checkpoint_s * mtbf) ** 0.5, work)
                time = work / interval * mtbf * math.expm1((interval + checkpoint_s) / mtbf) * math.exp(restart_s / mtbf)
                cost = devices * usd * time / 3600
                broken = max(time / 3600 / deadline_h, cost / budget_usd)
                if best is None or broken < best[0]:
                    best = (broken, (number, devices, interval))
    return best[1]

# %% never_saves
# Wrong: the interval is longer than the run, so nothing is saved before the end. It passed once.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1, max(1, most // 400)):
            mtbf, work = 3600 * mtbf_h / devices, flops / devices / rate
            for factor in (0.7, 0.9):
                interval = min(factor * (2 * checkpoint_s * mtbf) ** 0.5, work)
                time = work / interval * mtbf * math.expm1((interval + checkpoint_s) / mtbf) * math.exp(restart_s / mtbf)
                cost = devices * usd * time / 3600
                broken = max(time / 3600 / deadline_h, cost / budget_usd)
                if best is None or broken < best[0]:
                    best = (broken, (number, devices, interval))
    return (*best[1][:2], 1e20)

# %% the_fastest_that_is_paid
# Right: formula (4) with a part of an interval, the fastest choice within the budget.
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
            M = 3600 * mtbf / n
            W = flops / (rate * n)
            tau = min(math.sqrt(2 * d * M), W)
            T = expected_s(W, tau, d, R, M)
            cost = n * price * T / 3600
            if T <= deadline_h * 3600 and cost <= budget_usd:
                key = T
                if best is None or key < best[0]:
                    best = (key, i, n, tau)
    return best[1:]

# %% the_first_two_offers
# Wrong: the third offer is never looked at. It passed once.
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
            M = 3600 * mtbf / n
            W = flops / (rate * n)
            tau = min(math.sqrt(2 * d * M), W)
            T = expected_s(W, tau, d, R, M)
            cost = n * price * T / 3600
            if T <= deadline_h * 3600 and cost <= budget_usd and i < 2:
                key = cost
                if best is None or key < best[0]:
                    best = (key, i, n, tau)
    return best[1:]

# %% farthest_from_both_limits
# Right: the run that is farthest from both limits.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = max(hours / deadline_h, dollars / budget_usd)
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% one_device_fails_farthest
# Wrong: one device's time between failures, in a design of its own.
# Known mistake: You took one device's mean time between failures. Any of them stops the run: divide by their number.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = max(hours / deadline_h, dollars / budget_usd)
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% no_restart_farthest
# Wrong: restarts take no time, in a design of its own.
# Known mistake: You counted the lost work and not the restarts, for which all devices are paid for too.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = max(hours / deadline_h, dollars / budget_usd)
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% cheapest_of_all
# Wrong: the cheapest run, however long.
# Known mistake: You took the cheapest run and forgot the deadline: with few devices little fails, and it takes long.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = dollars
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% fastest_of_all
# Wrong: the fastest run, however dear.
# Known mistake: You took the fastest run and forgot the budget.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = hours
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% all_devices_farthest
# Wrong: all devices of an offer.
# Known mistake: You took all the devices of an offer. Each one more makes failures more frequent, and the run dearer.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in [most]:
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = max(hours / deadline_h, dollars / budget_usd)
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% every_hour_farthest
# Wrong: a checkpoint every hour.
# Known mistake: You took the same interval whatever fails. The best one is shorter the more devices there are: it goes with the root of the time between failures.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, 3600.0)
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = max(hours / deadline_h, dollars / budget_usd)
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% steps_of_eight
# Wrong: devices in steps of 8; no mistake that is known.
# Message: that are allowed
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(min(8, most), most + 1, 8):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * (math.exp((tau + checkpoint_s) / mtbf) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = max(hours / deadline_h, dollars / budget_usd)
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% one_checkpoint_farthest
# Wrong: one checkpoint, at the end.
# Known mistake: With one checkpoint at the end each failure undoes the whole run so far.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    best = None
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = work
            seconds = work / tau * mtbf * (math.exp(min(700, (tau + checkpoint_s) / mtbf)) - 1) * math.exp(restart_s / mtbf)
            hours, dollars = seconds / 3600, seconds / 3600 * usd * devices
            worst = max(hours / deadline_h, dollars / budget_usd)
            if best is None or worst < best[0]:
                best = worst, (number, devices, tau)
    return best[1]

# %% first_order_cheapest
# Wrong: the first-order sum, with restarts. It was told that it forgot them.
# Message: that are allowed
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    found = []
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work * (1 + checkpoint_s / tau + (tau / 2 + restart_s) / mtbf)
            found.append((seconds > 3600 * deadline_h, devices * usd * seconds, number, devices, tau))
    return min(found)[2:]

# %% second_order_cheapest
# Wrong: the first terms of a series for the exact sum. It passed once.
# Message: that are allowed
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    found = []
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            added = checkpoint_s / tau + (tau / 2 + restart_s) / mtbf
            seconds = work * (1 + added + added**2)
            found.append((seconds > 3600 * deadline_h, devices * usd * seconds, number, devices, tau))
    return min(found)[2:]

# %% halves_the_devices_of_each_offer
# Wrong: the devices by halving. It passed once.
# Known mistake: You searched the number of devices by halving, as if more were always faster. Beyond some number they fail so often that the run takes longer: try them all.
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    found = []
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):

        def plan(n):
            mtbf, work = 3600 * mtbf_h / n, flops / (n * rate)
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            return work / tau * mtbf * math.exp(restart_s / mtbf) * math.expm1((tau + checkpoint_s) / mtbf), tau

        lo, hi = 1, most
        while lo < hi:
            mid = (lo + hi) // 2
            if plan(mid)[0] <= 3600 * deadline_h:
                hi = mid
            else:
                lo = mid + 1
        seconds, tau = plan(lo)
        found.append((seconds > 3600 * deadline_h, lo * usd * seconds, number, lo, tau))
    return min(found)[2:]

# %% a_negative_interval
# Wrong: an interval below 0. It was told that it forgot the restarts.
# Message: an interval of -
import math


def choose_run(offers, *, flops, checkpoint_s, restart_s, deadline_h, budget_usd):
    found = []
    for number, (rate, usd, mtbf_h, most) in enumerate(offers):
        for devices in range(1, most + 1):
            mtbf = 3600 * mtbf_h / devices
            work = flops / devices / rate
            tau = min(work, math.sqrt(2 * checkpoint_s * mtbf))
            seconds = work / tau * mtbf * math.expm1((tau + checkpoint_s) / mtbf) * math.exp(restart_s / mtbf)
            found.append((seconds > 3600 * deadline_h, devices * usd * seconds, number, devices, -tau))
    return min(found)[2:]
