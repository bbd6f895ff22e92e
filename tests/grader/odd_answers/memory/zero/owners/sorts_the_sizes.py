# Wrong: sorts the list that it was given.
# Message: sizes is changed: work on a copy
def owners(sizes, ranks):
    sizes.sort(reverse=True)
    loads, owner = [0] * ranks, []
    for size in sizes:
        owner.append(loads.index(min(loads)))
        loads[owner[-1]] += size
    return owner
