# Wrong: an earlier layer can still hold up the host.
def offloaded_step_time(forward_s, backward_s, gradients_s, update_s, new_weights_s):
    return sum(forward_s) + sum(backward_s) + gradients_s[0] + update_s[0] + new_weights_s[0]
