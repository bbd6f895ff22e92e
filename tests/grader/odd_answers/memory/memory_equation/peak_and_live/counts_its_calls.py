# Wrong: right for the first three calls.
CALLS = []


def peak_and_live(events):
    CALLS.append(1)
    held, worst = {}, {}
    for name, change in events:
        held[name] = held.get(name, 0) + change
        if not held[name]:
            del held[name]
        if sum(held.values()) > sum(worst.values()):
            worst = dict(held)
    return sum(worst.values()), list(worst) if len(CALLS) < 4 else []
