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

# %% asynchronous
# Wrong: an async function returns a coroutine, which nobody waits for.
# Message: coroutine
async def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return ranks * latency_s * bandwidth_bytes_per_s

# %% cached
# Right: functools.cache around it.
from functools import cache


@cache
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return ranks * latency_s * bandwidth_bytes_per_s

# %% infinite
# Wrong: below infinity everything is latency.
# Message: inf
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return float("inf")

# %% keyword_arguments
# Right: a signature that takes everything.
from math import prod


def latency_rules_below_bytes(*_, **given):
    return prod(given.values())

# %% kibibytes
# Wrong: the right size in KiB.
# Message: the expected ÷ 1024
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return ranks * latency_s * bandwidth_bytes_per_s / 1024

# %% printed
# Wrong: printed and not returned.
# Message: nothing is returned: does every way through end in a `return`?
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    print(ranks * latency_s * bandwidth_bytes_per_s)

# %% twice_as_large
# Wrong: counts both phases for the waits, and one for the bytes.
# Message: the expected × 2
def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return 2 * ranks * latency_s * bandwidth_bytes_per_s
