# Wrong: more exact than the ring.
from fractions import Fraction


def ring_all_reduce_replay(vectors):
    return [float(sum(map(Fraction, column))) for column in zip(*vectors)]
