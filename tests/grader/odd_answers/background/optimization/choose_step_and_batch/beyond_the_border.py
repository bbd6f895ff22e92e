# Wrong: a step size at which the steepest direction diverges.
# Message: times the target
def choose_step_and_batch(*, curvatures, start, noise_variances, most_examples, most_steps, target):
    return 2.1 / max(curvatures), max(1, most_examples // most_steps), min(most_steps, most_examples)
