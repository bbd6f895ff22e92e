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

# %% host_blocks_on_the_way_up
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

# %% no_room_on_the_host
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

# %% overlaps_nothing_of_the_update
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
