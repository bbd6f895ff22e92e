# Wrong: one dimension only, the one that the smallest matrix lacks.
def choose_grid(*, m, k, n, workers, free_bytes, replicated, element_bytes):
    sizes = {(1, workers, 1): m * k, (workers, 1, 1): k * n, (1, 1, workers): m * n}
    return min(sizes, key=sizes.get)
