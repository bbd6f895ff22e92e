# Wrong: updates do not wait for the last gradient.
# Known mistake: An update begins when its own gradient has come; only clipping by the global norm waits for all.
def offloaded_step_time(forward_s, backward_s, gradients_s, update_s, new_weights_s):
    gpu, down = sum(forward_s), 0
    for back, gradient in zip(reversed(backward_s), reversed(gradients_s)):
        gpu += back
        down = max(down, gpu) + gradient
    host, up = down, 0
    for update, weights in zip(reversed(update_s), reversed(new_weights_s)):
        host += update
        up = max(up, host) + weights
    return up
