# Wrong: the largest first, and dealt in turn.
# Known mistake: The rank with the largest matrix also gets the largest of every other round, on top of it: so it is where matrices are dealt in turn by size, and also where the smallest come first. Take the largest first, each to the rank whose load is least.
def owners(sizes, ranks):
    out = [0] * len(sizes)
    for n, i in enumerate(sorted(range(len(sizes)), key=lambda i: -sizes[i])):
        out[i] = n % ranks
    return out
