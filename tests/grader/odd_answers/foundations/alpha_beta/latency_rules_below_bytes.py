# %% a_lambda
# Right: a lambda with the name.
latency_rules_below_bytes = lambda *, ranks, latency_s, bandwidth_bytes_per_s: ranks * latency_s * bandwidth_bytes_per_s

# %% an_object_that_can_be_called
# Right: an object of a class with __call__.
from dataclasses import dataclass


@dataclass
class Rule:
    factor: float = 1.0

    def __call__(self, *, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
        return self.factor * ranks * latency_s * bandwidth_bytes_per_s


latency_rules_below_bytes = Rule()

# %% cached
# Right: functools.cache around it.
from functools import cache


@cache
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return ranks * latency_s * bandwidth_bytes_per_s


# %% keyword_arguments
# Right: a signature that takes everything.
from math import prod


def latency_rules_below_bytes(*_, **given):
    return prod(given.values())


# %% sixteen_at_most
# Wrong: it counts no more than 16 ranks. It passed once.


def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return min(ranks, 16) * latency_s * bandwidth_bytes_per_s
