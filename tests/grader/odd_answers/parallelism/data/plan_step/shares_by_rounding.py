# Wrong: rounds the shares, so that the last may be much too large.
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
