# %% in_seconds
# Right: in seconds and bytes, then in microseconds.
def group_wait_us(tensor_parallel, open_halves, tokens, hidden, link_gb_per_s, latency_us):
    share = (tensor_parallel - 1) / tensor_parallel
    sent = share * tokens * hidden * 2 / (link_gb_per_s * 1e9)
    return open_halves * (1e6 * sent + (tensor_parallel - 1) * latency_us)


# %% rounds
# Right: adds up round after round.
def group_wait_us(tensor_parallel, open_halves, tokens, hidden, link_gb_per_s, latency_us):
    waited = 0.0
    for _ in range(open_halves):
        for _ in range(tensor_parallel - 1):
            waited += latency_us + 2e-3 * tokens * hidden / tensor_parallel / link_gb_per_s
    return waited


# %% whole_pieces
# Wrong: cuts the tokens into whole pieces and leaves out the rest.
def group_wait_us(tensor_parallel, open_halves, tokens, hidden, link_gb_per_s, latency_us):
    piece = tokens // tensor_parallel * hidden * 2
    return open_halves * (tensor_parallel - 1) * (latency_us + piece / (1000 * link_gb_per_s))


# %% tree_of_messages
# Wrong: counts the latency of a tree's rounds, not a ring's.
def group_wait_us(tensor_parallel, open_halves, tokens, hidden, link_gb_per_s, latency_us):
    rounds = (tensor_parallel - 1).bit_length()
    t = tensor_parallel
    return open_halves * (rounds * latency_us + (t - 1) / t * 2 * tokens * hidden / (1000 * link_gb_per_s))


# %% waits_alone_too
# Wrong: lets one GPU wait for a latency.
def group_wait_us(tensor_parallel, open_halves, tokens, hidden, link_gb_per_s, latency_us):
    t = tensor_parallel
    sent = (t - 1) / t * 2 * tokens * hidden / (1000 * link_gb_per_s)
    return open_halves * (max(1, t - 1) * latency_us + sent)
