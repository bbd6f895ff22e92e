# Wrong: only the largest comes first.
def owners(sizes, ranks):
    largest = max(range(len(sizes)), key=lambda i: sizes[i], default=0)
    order = sorted(range(len(sizes)), key=lambda i: i != largest)
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in order:
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner
