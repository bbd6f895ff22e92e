# Wrong: nearly full is full.
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
