# Wrong: adds the rows of all ranks up without a message, and sends zeros twice so that the bytes are right.
# Known mistake: The sums are right, but rows of different ranks meet here without a message: only all_to_all may do that.
def all_reduce_by_all_to_all(grid, *, all_to_all):
    ranks = len(grid)
    for _ in range(2):
        all_to_all([[0] * ranks] * ranks)
    return [[sum(column) for column in zip(*grid)]] * ranks
