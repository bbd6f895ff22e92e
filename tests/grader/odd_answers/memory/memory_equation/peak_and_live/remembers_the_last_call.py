# Wrong: a dictionary as a default is the same in every call.
def peak_and_live(events, held={}):
    peak, live = 0, []
    for name, change in events:
        held[name] = change
        if change < 0:
            del held[name]
        if sum(held.values()) > peak:
            peak, live = sum(held.values()), list(held)
    return peak, live
