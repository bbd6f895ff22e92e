# Wrong: the generator is empty when its sum is taken.
def square_norm_share(shard, replicated, *, workers):
    squares = (entry**2 for entry in shard)
    if max(squares, default=0) < 0:
        raise ValueError("a square is negative")
    return sum(squares) + sum(entry**2 for entry in replicated) / workers
