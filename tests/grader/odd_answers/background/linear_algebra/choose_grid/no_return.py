# Wrong: nothing is returned.
# Message: nothing is returned: does every way through end in a `return`?
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    grid = (1, 1, workers)
