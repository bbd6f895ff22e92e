# Wrong: what is yielded is no request.
def reduce_scatter(rank, ranks, numbers):
    arrived = yield ((rank + 1) % ranks, numbers, (rank - 1) % ranks)
    return arrived
