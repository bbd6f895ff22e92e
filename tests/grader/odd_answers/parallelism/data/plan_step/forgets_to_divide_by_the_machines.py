# Wrong: 2 (N - 1) times the sum.
# Known mistake: The sum takes 2 * (N - 1) / N times sum_ms: here the division by N is missing.
from fractions import Fraction


def plan_step(*, sequences, machines, room, launch_ms, sequence_ms, sum_ms, limit_ms, budget_ms):
    def share(own: int) -> list[int]:  # as few micro-batches as fit, a full one last
        return [own % room] * (own % room > 0) + [room] * (own // room)

    def step_ms(N: int) -> Fraction:
        sizes = share(-(-sequences // N))  # the largest share sets the pace
        passes_ms = sum(launch_ms + b * sequence_ms for b in sizes)
        last_ms = Fraction(2 * (launch_ms + sizes[-1] * sequence_ms), 3)
        return max(Fraction(passes_ms), passes_ms - last_ms + 2 * (N - 1) * sum_ms)

    for N in range(1, min(machines, sequences) + 1):
        if step_ms(N) <= limit_ms and N * step_ms(N) <= budget_ms:
            shares = [sequences // N + (r < sequences % N) for r in range(N)]
            return [[(b, N * b / sequences) for b in share(own)] for own in shares]
    return None
