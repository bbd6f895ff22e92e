# %% fewest_passes
# Wrong: only as many passes as the memory asks for, which fill up with draws that nobody needs.
# Message: where 8 s is allowed
import math


def choose_step(*, variance, error, most_examples, most_workers, pass_s, example_s, message_s, deadline_s):
    draws = math.ceil(variance / error**2)
    best = None
    for workers in range(1, most_workers + 1):
        passes = math.ceil(draws / (workers * most_examples))
        examples = math.ceil(draws / (workers * passes))
        time = passes * (pass_s + examples * example_s) + 2 * (workers - 1) * message_s
        if best is None or time < best[0]:
            best = time, examples, workers, passes
    return best[1:]

# %% first_in_time
# Right: the first design within the deadline, as a list, with the passes tried one by one.
import math


def choose_step(*, variance, error, most_examples, most_workers, pass_s, example_s, message_s, deadline_s):
    draws = math.ceil(variance / error**2)
    for workers in range(most_workers, 0, -1):
        share = math.ceil(draws / workers)
        for passes in range(1, share + 1):
            examples = math.ceil(share / passes)
            time = passes * (pass_s + examples * example_s) + 2 * (workers - 1) * message_s
            if examples <= most_examples and time <= deadline_s:
                return [examples, workers, passes]

# %% another_design
# Right: the fewest workers that are in time, not the fastest step.
import math


def choose_step(*, variance, error, most_examples, most_workers, pass_s, example_s, message_s, deadline_s):
    draws = math.ceil(variance / error**2)
    for workers in range(1, most_workers + 1):
        for examples in range(1, most_examples + 1):
            passes = -(-draws // (workers * examples))
            time = passes * (pass_s + examples * example_s)
            time += 2 * (workers - 1) * message_s
            if time <= deadline_s * (1 + 1e-9):
                return examples, workers, passes
    return examples, workers, passes

# %% very_many_passes
# Wrong: more passes than anybody has time for; it passed once.
# Message: where
def choose_step(*, variance, error, most_examples, most_workers, pass_s, example_s, message_s, deadline_s):
    return 1, 1, 1_000_001

# %% one_worker_with_full_memory
# Wrong: one worker alone; it was told of the memory once.
# Known mistake: You let one worker make all the draws, and the step takes too long. Share them out: each worker more shortens the passes, for two messages.
import math


def choose_step(*, variance, error, most_examples, most_workers, pass_s, example_s, message_s, deadline_s):
    return most_examples, 1, math.ceil(math.ceil(variance / error**2) / most_examples)

# %% full_memory_rounded_down
# Wrong: too few draws; it was told once that they are too many.
# Message: is allowed
import math


def choose_step(*, variance, error, most_examples, most_workers, pass_s, example_s, message_s, deadline_s):
    draws, designs = math.ceil(variance / error**2), []
    for workers in range(1, most_workers + 1):
        passes = max(1, draws // (workers * most_examples))
        time = passes * (pass_s + most_examples * example_s) + 2 * (workers - 1) * message_s
        designs.append((time, (most_examples, workers, passes)))
    return min(designs)[1]
