# Wrong: the N largest go to one rank each, the others as they come.
def owners(sizes, ranks):
    order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
    order = order[:ranks] + sorted(order[ranks:])
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in order:
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner
