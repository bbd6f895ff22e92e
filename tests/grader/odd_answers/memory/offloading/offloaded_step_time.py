# %% by_columns
# Right: one lane after the other, each with all its ends.
def offloaded_step_time(forward_s, backward_s, gradients_s, update_s, new_weights_s):
    now = sum(forward_s)
    there = []
    for seconds in reversed(backward_s):
        now += seconds
        there.append(now)
    for lane in (gradients_s, update_s, new_weights_s):
        free = 0
        for place, seconds in enumerate(reversed(lane)):
            free = max(free, there[place]) + seconds
            there[place] = free
    return float(there[-1])

# %% room_for_three
# Wrong: there is room for more than three. It passed once.
def offloaded_step_time(*, forward_s, backward_s, gradients_s, update_s, new_weights_s):
    F, B, G, A, W = forward_s, backward_s, gradients_s, update_s, new_weights_s
    L = len(F)
    gpu=sum(F); down=host=up=0; hs=[]
    for l in reversed(range(L)):
        gpu += B[l]
        down = max(down, gpu, hs[-3] if len(hs)>2 else 0) + G[l]; hs.append(max(host,down))
        host = max(host, down) + A[l]
        up = max(up, host) + W[l]
    return up

# %% room_for_two
# Wrong: there is room for more than two. It passed once.
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
