# Wrong: the right names in another order.
# Message: another order
def peak_and_live(events):
    held, worst = {}, {}
    for name, change in events:
        held[name] = held.get(name, 0) + change
        if not held[name]:
            del held[name]
        if sum(held.values()) > sum(worst.values()):
            worst = dict(held)
    return sum(worst.values()), sorted(worst)
