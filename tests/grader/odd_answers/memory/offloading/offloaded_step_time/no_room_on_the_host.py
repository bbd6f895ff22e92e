# Wrong: a gradient that has come can wait.
# Known mistake: A gradient that has come can wait on the host, so the next one may go down meanwhile.
def offloaded_step_time(*, forward_s, backward_s, gradients_s, update_s, new_weights_s):
    F, B, G, A, W = forward_s, backward_s, gradients_s, update_s, new_weights_s
    L = len(F)
    gpu=sum(F); down=host=up=0; hs=0
    for l in reversed(range(L)):
        gpu += B[l]
        down = max(down, gpu, hs) + G[l]; hs=max(host,down)
        host = max(host, down) + A[l]
        up = max(up, host) + W[l]
    return up
