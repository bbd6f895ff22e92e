# Right: prints on the way.
def peak_activations(order):
    last = max((kind for kind, _ in order if kind in "BW"), default="B")
    held, peak = set(), 0
    for kind, number in order:
        if kind == "F":
            held.add(number)
        elif kind == last:
            held.remove(number)
        peak = max(peak, len(held))
        print(f"{kind}{number}: {sorted(held)}")
    return peak
