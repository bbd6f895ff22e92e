# %% lists_for_pairs
# Right: lists for the pairs.
def one_f_one_b_order(stages, micro_batches, stage):
    ahead = min(stages - 1 - stage, micro_batches)
    order = [["F", i] for i in range(ahead)]
    for i in range(micro_batches - ahead):
        order += [["F", ahead + i], ["B", i]]
    return order + [["B", i] for i in range(micro_batches - ahead, micro_batches)]

# %% numpy
# Right: NumPy's integers in tuples.
import numpy as np


def one_f_one_b_order(stages, micro_batches, stage):
    ahead = min(stages - 1 - stage, micro_batches)
    forward = [(i - ahead - 0.5, "F", i) for i in np.arange(micro_batches)]
    backward = [(i + 0.0, "B", i) for i in np.arange(micro_batches)]
    return tuple((kind, i) for _, kind, i in sorted(forward + backward))

# %% passes_that_are_yielded
# Right: a generator.
def one_f_one_b_order(*, stages, micro_batches, stage):
    done = 0
    for i in range(micro_batches):
        yield "F", i
        if i >= stages - 1 - stage:
            yield "B", done
            done += 1
    while done < micro_batches:
        yield "B", done
        done += 1

# %% recursive
# Right: calls itself with what is left.
def one_f_one_b_order(stages, micro_batches, stage, forwards=0, backwards=0):
    if backwards == micro_batches:
        return []
    if forwards < micro_batches and forwards - backwards < stages - stage:
        return [("F", forwards), *one_f_one_b_order(stages, micro_batches, stage, forwards + 1, backwards)]
    return [("B", backwards), *one_f_one_b_order(stages, micro_batches, stage, forwards, backwards + 1)]
