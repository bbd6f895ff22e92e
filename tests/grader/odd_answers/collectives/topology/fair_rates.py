# %% an_array
# Right: an array.
import numpy as np


def fair_rates(*, routes, bandwidths):
    rates = np.zeros(len(routes))
    done = np.zeros(len(routes), bool)
    while not done.all():
        best = None
        for link, rate in bandwidths.items():
            on = np.array([link in route for route in routes])
            left = (on & ~done).sum()
            if left:
                share = (rate - rates[on & done].sum()) / left
                if best is None or share < best[0]:
                    best = share, on & ~done
        rates[best[1]] = best[0]
        done |= best[1]
    return rates

# %% four_rounds_alone
# Wrong: four rounds alone. It passed once.
def fair_rates(*, routes, bandwidths):
    rates = [0.0] * len(routes)
    rising = set(range(len(routes)))
    room = dict(bandwidths)
    for _ in range(4):
        users = {l: [f for f in rising if l in routes[f]] for l in room}
        users = {l: u for l, u in users.items() if u}
        if not users:
            break
        full = min(users, key=lambda l: room[l] / len(users[l]))
        share = room[full] / len(users[full])
        for f in users[full]:
            rates[f] = share
            for l in routes[f]:
                room[l] -= share
        rising -= set(users[full])
    users = {l: sum(f in rising for f in range(len(routes)) if l in routes[f]) for l in room}
    for f in rising:
        rates[f] = min(room[l] / users[l] for l in routes[f])
    return rates

# %% nearly_full_is_full
# Wrong: nearly full is full. It passed once.
def fair_rates(*, routes, bandwidths):
    rates = [0.0] * len(routes)
    rising = set(range(len(routes)))
    room = dict(bandwidths)
    for _ in range(200):
        if not rising:
            break
        n = {l: sum(l in routes[i] for i in rising) for l in room}
        d = min(room[l] / n[l] for l in room if n[l])
        for l in room:
            room[l] -= d * n[l]
        for i in rising:
            rates[i] += d
        full = {l for l in room if room[l] <= 0.3}
        rising = {i for i in rising if not full & set(routes[i])}
    return rates

# %% rises_by_steps
# Right: rises by steps.
def fair_rates(*, routes, bandwidths):
    rates, rising = [0.0] * len(routes), set(range(len(routes)))
    while rising:
        gap = {}
        for link, rate in bandwidths.items():
            users = [flow for flow in rising if link in routes[flow]]
            if users:
                used = sum(rates[flow] for flow in range(len(routes)) if link in routes[flow])
                gap[link] = (rate - used) / len(users)
        step = min(gap.values())
        for flow in rising:
            rates[flow] += step
        full = [link for link in gap if gap[link] <= step * (1 + 1e-9) + 1e-12]
        rising = {flow for flow in rising if not set(routes[flow]) & set(full)}
    return rates

# %% least_bandwidth_first
# Wrong: takes the link with the least room, of those that flows which rise cross.
# Known mistake: The link with the least bandwidth need not be the first that is full: what counts is bandwidth for each of its flows.
def fair_rates(*, routes, bandwidths):
    left, rates = dict(bandwidths), [None] * len(routes)
    while None in rates:
        count = {}
        for flow, route in enumerate(routes):
            if rates[flow] is None:
                for link in route:
                    count[link] = count.get(link, 0) + 1
        narrowest = min(count, key=lambda link: left[link])
        share = left[narrowest] / count[narrowest]
        for flow, route in enumerate(routes):
            if rates[flow] is None and narrowest in route:
                rates[flow] = share
                for link in route:
                    left[link] -= share
    return rates
