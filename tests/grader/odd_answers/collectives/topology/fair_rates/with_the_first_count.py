# Wrong: with the first count.
def fair_rates(*, routes, bandwidths):
    rates = [0.0] * len(routes)
    rising = set(range(len(routes)))
    room = dict(bandwidths)
    while rising:
        users = {l: [f for f in rising if l in routes[f]] for l in room}
        users = {l: u for l, u in users.items() if u}
        full = min(users, key=lambda l: bandwidths[l] / len(users[l]))
        share = room[full] / len(users[full])
        for f in users[full]:
            rates[f] = share
            for l in routes[f]:
                room[l] -= share
        rising -= set(users[full])
    return rates
