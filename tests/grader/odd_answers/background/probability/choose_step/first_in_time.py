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
