# Wrong: sorts by size // 2, so that 2 and 3 are alike.
# Known mistake: In this order sizes that differ by 1 can count as equal, and the smaller come first: sort by size.
def owners(sizes, ranks):
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda i: -(sizes[i] // 2)):
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner
