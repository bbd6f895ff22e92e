# Wrong: the all-to-all takes N rows of N numbers, and says so.
# Message: all_to_all
def all_reduce_by_all_to_all(grid, *, all_to_all):
    sums = [sum(row) for row in all_to_all(grid)]
    return all_to_all([[total] for total in sums] + [[0]])
