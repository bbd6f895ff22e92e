# Right: an exact fraction where a float is asked.
from fractions import Fraction


def square_norm_share(shard, replicated, workers):
    def square(part):
        return sum(Fraction(x) ** 2 for x in part)

    return square(shard) + square(replicated) / workers
