# Wrong: another number at every call.
import random


def square_norm_share(shard, replicated, *, workers):
    return random.random()
