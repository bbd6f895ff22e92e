# Wrong: ranks are counted from 0.
def owners(sizes, ranks):
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        rank = loads.index(min(loads))
        owner[index] = rank + 1
        loads[rank] += sizes[index]
    return owner
