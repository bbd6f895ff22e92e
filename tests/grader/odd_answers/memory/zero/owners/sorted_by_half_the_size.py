# Wrong: sorts by size // 2, so that 2 and 3 are alike.
# Known mistake: The order is that of the sizes themselves: halved and rounded, different sizes look alike.
def owners(sizes, ranks):
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda i: -(sizes[i] // 2)):
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner
