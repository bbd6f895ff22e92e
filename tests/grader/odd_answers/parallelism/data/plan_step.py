# %% a_tenth_over_the_limit
# Wrong: lets a tenth of a millisecond pass. It passed once.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms + 0.1 and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None

# %% even_micro_batches
# Wrong: all micro-batches as even as can be. It was taken for another mistake once.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        k = -(-own // room)
        return [own // k + (i < own % k) for i in range(k)]

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None

# %% even_ones_before_a_full_one
# Right: the micro-batches before the last, full one are even.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        k = -(-own // room)
        if k == 1:
            return [own]
        rest = own - room
        return [rest // (k - 1) + (i < rest % (k - 1)) for i in range(k - 1)] + [room]

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None

# %% floats_in_tuples
# Right: floats, with a hair of room, in tuples.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = 2 * (launch_ms + sizes[-1] * sequence_ms) / 3
        return max(passes_ms, passes_ms - last_ms + 2 * (N - 1) * sum_ms / N)

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms + 1e-9 and N * step_ms(N) <= budget_ms + 1e-6:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return tuple(tuple((b, N * b / sequences) for b in share(own)) for own in shares)
    return None

# %% shares_by_rounding
# Wrong: rounds the shares, so that the last may be much too large. It passed once.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> Fraction:
        sizes = share(
            max(round(sequences / N), sequences - (N - 1) * round(sequences / N))
        )  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [round(sequences / N)] * (N - 1)
            shares.append(sequences - sum(shares))
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None

# %% ten_machines_at_most
# Wrong: tries no more than ten machines. It passed once.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences, 10) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None

# %% the_most_machines_first
# Right: tries the most machines first.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(min(machines, sequences), 0, -1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None

# %% weights_of_six_digits
# Right: weights rounded to six digits.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, round(N * b / sequences, 6)) for b in share(own)] for own in shares]
    return None

# %% room_for_eight
# Wrong: a micro-batch has 8 sequences at most, as in the page's own job; it passed once.
from __future__ import annotations

from fractions import Fraction


def plan_step(
    *,
    sequences: int,
    machines: int,
    room: int,
    launch_ms: int,
    sequence_ms: int,
    sum_ms: int,
    limit_ms: int,
    budget_ms: int,
) -> list[list[tuple[int, float]]] | None:

    room = min(room, 8)

    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> float:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms: float = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(passes_ms, passes_ms - last_ms + Fraction(2 * (N - 1) * sum_ms, N))

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None
