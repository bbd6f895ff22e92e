# Wrong: empties the list that it was given.
# Message: order is changed: work on a copy
def peak_activations(order):
    last = "W" if any(kind == "W" for kind, _ in order) else "B"
    held = peak = 0
    while order:
        kind, _ = order.pop(0)
        held += (kind == "F") - (kind == last)
        peak = max(peak, held)
    return peak
