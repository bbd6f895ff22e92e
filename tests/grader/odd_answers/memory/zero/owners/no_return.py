# Wrong: the list is filled and not returned.
# Message: nothing is returned: does every way through end in a `return`?
def owners(sizes, ranks):
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
