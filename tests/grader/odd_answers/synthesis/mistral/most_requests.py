# %% counted_up
# Right: subtracts one request after the other.
def most_requests(*, memory_bytes, gpus, weight_bytes, token_bytes, context, window):
    each = token_bytes * (window if window < context else context)
    free, count = memory_bytes * gpus - weight_bytes, 0
    while free >= each:
        free, count = free - each, count + 1
    return count


# %% each_gpu_for_itself
# Wrong: rounds each GPU's share of the free memory down, as if a request stayed on one GPU.
def most_requests(*, memory_bytes, gpus, weight_bytes, token_bytes, context, window):
    free = memory_bytes - -(-weight_bytes // gpus)
    return gpus * max(0, free // (token_bytes * min(context, window)))


# %% a_token_to_write
# Wrong: keeps a place for the token that's written next.
def most_requests(*, memory_bytes, gpus, weight_bytes, token_bytes, context, window):
    return max(0, (memory_bytes * gpus - weight_bytes) // (token_bytes * min(context + 1, window)))


# %% one_at_least
# Wrong: serves one request whether it fits or not.
def most_requests(*, memory_bytes, gpus, weight_bytes, token_bytes, context, window):
    return max(1, (memory_bytes * gpus - weight_bytes) // (token_bytes * min(context, window)))


# %% whole_bytes_on_each_gpu
# Wrong: rounds each GPU's share of a request up to whole bytes.
def most_requests(*, memory_bytes, gpus, weight_bytes, token_bytes, context, window):
    share = -(-token_bytes * min(context, window) // gpus)
    return max(0, int((memory_bytes - weight_bytes / gpus) // share))
