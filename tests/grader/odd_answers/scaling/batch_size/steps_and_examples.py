# %% examples_first_and_a_list
# Right: examples first, and a list.
def steps_and_examples(*, batch, critical_batch, fewest_steps):
    e = fewest_steps * (batch + critical_batch)
    return [e / batch, e]
