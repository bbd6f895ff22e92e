# Right: a signature that takes everything.
from math import prod


def latency_rules_below_bytes(*_, **given):
    return prod(given.values())
