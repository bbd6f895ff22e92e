# Wrong: does not sort; deals in the given order and in the reverse, and takes the better: [7, 4, 4, 7] on 2 ranks.
# Known mistake: Both orders can be bad, whatever the sizes: sorted, the largest first, the bound holds.
def owners(sizes, ranks):
    def dealt(order):
        loads, owner = [0] * ranks, [0] * len(sizes)
        for index in order:
            owner[index] = loads.index(min(loads))
            loads[owner[index]] += sizes[index]
        return max(loads), owner

    forward = list(range(len(sizes)))
    return min(dealt(forward), dealt(forward[::-1]))[1]
