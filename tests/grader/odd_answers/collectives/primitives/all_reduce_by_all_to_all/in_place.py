# Wrong: writes the sums into the grid that it was given.
# Message: grid is changed: work on a copy
def all_reduce_by_all_to_all(grid, *, all_to_all):
    sums = [sum(row) for row in all_to_all(grid)]
    grid[:] = all_to_all([[total] * len(grid) for total in sums])
    return grid
