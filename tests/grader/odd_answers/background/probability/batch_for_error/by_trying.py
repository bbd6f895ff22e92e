# Right: tries one batch after the other.
def batch_for_error(variance, error, population=None):
    batch = 1
    while True:
        square = variance / batch
        if population is not None and population > 1:
            square *= (population - batch) / (population - 1)
        if square <= error**2 or batch == population:
            return batch
        batch += 1
