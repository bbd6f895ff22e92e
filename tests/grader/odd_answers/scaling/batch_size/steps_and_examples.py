# %% a_corner_at_the_critical_batch
# Wrong: a corner at the critical batch.
# Known mistake: The curve has no corner at the critical batch: there the steps are twice the fewest.
def steps_and_examples(*, batch, critical_batch, fewest_steps):
    S = fewest_steps * max(1, critical_batch / batch)
    return S, S * batch

# %% examples_first_and_a_list
# Right: examples first, and a list.
def steps_and_examples(*, batch, critical_batch, fewest_steps):
    e = fewest_steps * (batch + critical_batch)
    return [e / batch, e]
