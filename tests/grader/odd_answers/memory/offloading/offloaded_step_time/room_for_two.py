# Wrong: there is room for more than two.
def offloaded_step_time(*, forward_s, backward_s, gradients_s, update_s, new_weights_s):
    F, B, G, A, W = forward_s, backward_s, gradients_s, update_s, new_weights_s
    L = len(F)
    gpu=sum(F); down=host=up=0; hs=[]
    for l in reversed(range(L)):
        gpu += B[l]
        down = max(down, gpu, hs[-2] if len(hs)>1 else 0) + G[l]; hs.append(max(host,down))
        host = max(host, down) + A[l]
        up = max(up, host) + W[l]
    return up
