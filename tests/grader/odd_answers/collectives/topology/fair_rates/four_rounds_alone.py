# Wrong: four rounds alone.
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
