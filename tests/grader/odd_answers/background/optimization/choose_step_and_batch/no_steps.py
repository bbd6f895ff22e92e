# Wrong: no step at all.
# Message: where all three have to be above 0
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    return 0.1, 1, 0
