# %% whole_numbers
# Right: compares doubled whole numbers.
def which_mean(micro_batches, logged):
    tokens = sum(n for n, _ in micro_batches)
    summed = sum(n * loss for n, loss in micro_batches)
    means, count = sum(loss for _, loss in micro_batches), len(micro_batches)
    a = 2 * abs(summed - logged * tokens) <= tokens
    b = 2 * abs(means - logged * count) <= count
    return ("both" if a and b else "tokens" if a else "means" if b else "neither"), summed / tokens


# %% rounds_as_python_does
# Wrong: rounds halves to even, so that a log that rounded up disagrees.
def which_mean(micro_batches, logged):
    tokens = sum(n for n, _ in micro_batches)
    right = sum(n * loss for n, loss in micro_batches) / tokens
    mean = sum(loss for _, loss in micro_batches) / len(micro_batches)
    a, b = round(right) == logged, round(mean) == logged
    return ("both" if a and b else "tokens" if a else "means" if b else "neither"), right


# %% both_if_alike
# Wrong: says both only where all micro-batches have equally many tokens.
def which_mean(micro_batches, logged):
    tokens = sum(n for n, _ in micro_batches)
    right = sum(n * loss for n, loss in micro_batches) / tokens
    mean = sum(loss for _, loss in micro_batches) / len(micro_batches)
    a, b = abs(right - logged) <= 0.5, abs(mean - logged) <= 0.5
    alike = len({n for n, _ in micro_batches}) == 1
    return ("both" if a and b and alike else "tokens" if a else "means" if b else "neither"), right


# %% equal_losses_once
# Wrong: counts micro-batches with one loss only once in the mean of means.
def which_mean(micro_batches, logged):
    tokens = sum(n for n, _ in micro_batches)
    right = sum(n * loss for n, loss in micro_batches) / tokens
    each = {loss for _, loss in micro_batches}
    a, b = abs(right - logged) <= 0.5, abs(sum(each) / len(each) - logged) <= 0.5
    return ("both" if a and b else "tokens" if a else "means" if b else "neither"), right


# %% both_if_close
# Wrong: says both where the two means are close to each other.
def which_mean(micro_batches, logged):
    tokens = sum(n for n, _ in micro_batches)
    right = sum(n * loss for n, loss in micro_batches) / tokens
    mean = sum(loss for _, loss in micro_batches) / len(micro_batches)
    a, b = abs(right - logged) <= 0.5, abs(mean - logged) <= 0.5
    both = (a or b) and abs(right - mean) <= 0.5
    return ("both" if both or (a and b) else "tokens" if a else "means" if b else "neither"), right
