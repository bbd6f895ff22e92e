# Wrong: the sums, but not on every rank.
def all_reduce_by_all_to_all(grid, *, all_to_all):
    sums = [sum(row) for row in all_to_all(grid)]
    return all_to_all([[total] * len(grid) for total in sums])[0]
