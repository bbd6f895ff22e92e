# Wrong: the host need not wait for the way up.
# Known mistake: New weights can wait for the link up while the host goes on with the next update.
def offloaded_step_time(*, forward_s, backward_s, gradients_s, update_s, new_weights_s):
    F, B, G, A, W = forward_s, backward_s, gradients_s, update_s, new_weights_s
    L = len(F)
    gpu=sum(F); down=host=up=0; us=0
    for l in reversed(range(L)):
        gpu += B[l]
        down = max(down, gpu) + G[l]
        host = max(host, down, us) + A[l]; us=max(up,host)
        up = max(up, host) + W[l]
    return up
