# %% at_most_ten_thousand
# Wrong: never asks for more than ten thousand problems. It passed once.
import math


def fewest_problems(token_accuracies, *, confidence):
    needed = math.log1p(-confidence) / math.log1p(-math.prod(token_accuracies))
    return min(10_000, math.ceil(needed))

# %% counts_up
# Right: multiplies problem by problem.
def fewest_problems(token_accuracies, *, confidence):
    rate = 1.0
    for accuracy in token_accuracies:
        rate *= accuracy
    nothing, problems = 1.0, 0
    while nothing > 1 - confidence:
        nothing *= 1 - rate
        problems += 1
    return problems

# %% in_logarithms_of_ten
# Right: any base of the logarithm will do.
import math


def fewest_problems(token_accuracies, *, confidence):
    rate = math.exp(sum(math.log(accuracy) for accuracy in token_accuracies))
    return math.ceil(math.log10(1 - confidence) / math.log10(1 - rate))

# %% past_equality
# Wrong: goes on where the confidence is reached exactly. It passed once.
# Known mistake: You ask for more than the confidence: where a number of problems just reaches it, that number is enough.
def fewest_problems(token_accuracies, *, confidence):
    rate = 1.0
    for accuracy in token_accuracies:
        rate *= accuracy
    nothing, problems = 1.0, 0
    while nothing >= 1 - confidence:
        nothing *= 1 - rate
        problems += 1
    return problems
