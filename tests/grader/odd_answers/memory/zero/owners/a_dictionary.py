# Wrong: a dictionary from matrix to rank.
def owners(sizes, ranks):
    loads, owner = [0] * ranks, {}
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner
