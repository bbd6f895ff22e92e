# Wrong: sorted, and dealt 0, 1, 2, 2, 1, 0: the loads are not looked at.
# Known mistake: Dealt there and back, the loads are not looked at: give each matrix to the rank that has least so far.
def owners(sizes, ranks):
    owner = [0] * len(sizes)
    turn = [*range(ranks), *reversed(range(ranks))]
    for place, index in enumerate(sorted(range(len(sizes)), key=lambda i: -sizes[i])):
        owner[index] = turn[place % len(turn)]
    return owner
