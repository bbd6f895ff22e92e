# Right: a list of the peak and a tuple of names.
def peak_and_live(events):
    held, worst = {}, {}
    for name, change in events:
        if change < 0:
            del held[name]
        else:
            held[name] = change
        if sum(held.values()) > sum(worst.values()):
            worst = dict(held)
    return [sum(worst.values()), tuple(worst)]
