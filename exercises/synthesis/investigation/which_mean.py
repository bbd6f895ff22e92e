"""Exercise: which mean a training log shows, and what it should have shown."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def which_mean(
    micro_batches: list[tuple[int, int]],
    *,
    logged: int,
) -> tuple[str, float]:
    """Return which mean a log shows, and the mean loss of the step's tokens.

    A mean agrees with the log if they are at most half a unit apart.

    Args:
        micro_batches: of one step: the tokens that have a loss, at least 1,
            and their mean loss, in thousandths of a nat.
        logged: the loss in the log, in thousandths, rounded.

    Returns:
        "tokens" if the log agrees with the mean over all tokens alone,
        "means" if with the mean of the micro-batches' means alone, "both" or
        "neither"; and the mean over all tokens, in thousandths.

    >>> which_mean([(100, 2000), (10, 4200)], logged=3100)
    ('means', 2200.0)
    """
    tokens = sum(count for count, _ in micro_batches)
    by_tokens = Fraction(sum(n * loss for n, loss in micro_batches), tokens)
    means = sum(loss for _, loss in micro_batches)
    of_means = Fraction(means, len(micro_batches))
    first = abs(by_tokens - logged) <= Fraction(1, 2)
    second = abs(of_means - logged) <= Fraction(1, 2)
    names = {
        (True, True): "both",
        (True, False): "tokens",
        (False, True): "means",
        (False, False): "neither",
    }
    return names[first, second], float(by_tokens)


def token_by_token(micro_batches: list[tuple[int, int]], *, logged: int) -> tuple[str, float]:
    """Write every token's loss down, once for each way to weigh it, and compare doubled sums of whole numbers."""
    losses = [loss for count, loss in micro_batches for _ in range(count)]
    batches = [loss for _, loss in micro_batches]

    def agrees(values: list[int]) -> bool:
        return abs(2 * sum(values) - 2 * logged * len(values)) <= len(values)

    seen = [name for name, values in (("tokens", losses), ("means", batches)) if agrees(values)]
    verdict = "both" if len(seen) == 2 else seen[0] if seen else "neither"
    return verdict, sum(losses) / len(losses)


case = inputs_for(which_mean)
OWN = case([(10, 4200), (100, 2000)], 3100)


def drawn(chance: Random) -> list[Inputs]:
    """Return steps of which the log shows one mean, the other, both or something else."""
    found = []
    for number in range(60):
        count = chance.randint(1, 5)
        alike = chance.random() < 0.25
        tokens = [chance.randint(1, 60)] * count if alike else [chance.randint(1, 60) for _ in range(count)]
        step = [(n, chance.randint(1000, 5000)) for n in tokens]
        sums = Fraction(sum(n * loss for n, loss in step), sum(tokens)), Fraction(sum(loss for _, loss in step), count)
        shown = (sums[0], sums[1], sum(sums) / 2, sums[1])[number % 4]
        found.append(case(step, round(shown)))
    return found


def taught() -> str:
    verdict, right = which_mean(**OWN)
    return (
        f"The log shows the mean of {verdict}: 3.1 nats, where the tokens have {right / 1000:.1f}. With 10 and 100 "
        "tokens each token of the short sequence counts ten times as much as one of the long."
    )


EXERCISE = Exercise(
    which_mean,
    number=2,
    level="easy",
    asked="which mean a log shows, and the right loss",
    expected=token_by_token,
    examples=[
        case([(100, 2000), (10, 4200)], 3100),
        case([(100, 2000), (10, 4200)], 2200),
        case([(50, 2000), (50, 3000)], 2500),
        case([(100, 2000), (10, 4200)], 2700),
        case([(1, 1000), (1, 1001)], 1000),
        case([(1, 1000), (1, 1001)], 1001),
        case([(3, 1000), (1, 1002)], 1001),
        case([(7, 3000)], 3000),
        case([(7, 3000)], 3001),
        case([(1, 1000), (3, 1000), (1, 2000)], 1333),
        case([(5, 1002), (2, 1001)], 1001),
        case([(6, 1000), (7, 1001)], 1000),
        OWN,
    ],
    inputs=drawn(Random(36)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "trusts_the_means",
            "You gave the mean of means as the right loss. Every token should count alike.",
            {"names[first, second], float(by_tokens)": "names[first, second], float(of_means)"},
        ),
        Mistake(
            "trusts_the_log",
            "You gave what the log says. Asked is the mean over all tokens.",
            {"float(by_tokens)": "float(logged)"},
        ),
        Mistake(
            "turns_them_round",
            "You called the mean of means the mean over tokens, and the other way round.",
            {'(True, False): "tokens"': '(True, False): "means"', '(False, True): "means"': '(False, True): "tokens"'},
        ),
        Mistake(
            "forgets_both",
            "Where all micro-batches have equally many tokens, the log tells nothing: both means agree with it.",
            {'(True, True): "both"': '(True, True): "tokens"'},
        ),
        Mistake(
            "forgets_neither",
            "You chose one of the two where the log agrees with neither. Then the cause is another one.",
            {'(False, False): "neither"': '(False, False): "means"'},
        ),
        Mistake(
            "forgets_the_rounding",
            "You asked for exact agreement. The log is rounded: half a unit is allowed.",
            {
                "abs(by_tokens - logged) <= Fraction(1, 2)": "by_tokens == logged",
                "abs(of_means - logged) <= Fraction(1, 2)": "of_means == logged",
            },
        ),
        Mistake(
            "excludes_the_half",
            "At exactly half a unit the log still agrees.",
            {
                "abs(by_tokens - logged) <= ": "abs(by_tokens - logged) < ",
                "abs(of_means - logged) <= ": "abs(of_means - logged) < ",
            },
        ),
    ],
)
