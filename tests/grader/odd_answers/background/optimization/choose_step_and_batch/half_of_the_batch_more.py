# Wrong: one example more in each batch than there is.
# Message: more than
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    return 1 / max(curvatures), most_examples // most_steps + 1, most_steps
