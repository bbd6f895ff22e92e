# Wrong: an assertion of its own, without a text.
# Message: AssertionError (line 6)
def peak_activations(order):
    held = peak = 0
    for kind, _ in order:
        assert kind in "FB"
        held += 1 if kind == "F" else -1
        peak = max(peak, held)
    return peak
