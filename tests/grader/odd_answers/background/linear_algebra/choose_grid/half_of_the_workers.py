# Wrong: not all workers are used.
# Message: which is none of
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    return (1, 1, workers // 2)
