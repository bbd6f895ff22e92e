# Wrong: sorted as text, so that 7 is above 17.
def owners(sizes, ranks):
    load = [0] * ranks
    out = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: str(sizes[i]), reverse=True):
        r = load.index(min(load))
        load[r] += sizes[i]
        out[i] = r
    return out
