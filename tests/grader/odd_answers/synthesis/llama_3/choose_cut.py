# %% sorted_by_time
# Right: sorts all that fit by their time.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                m = batch_tokens // sequence * copy // gpus
                if m < p:
                    continue
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if held <= memory_bytes * (1 + 1e-12):
                    bubble = (p - 1) * p / (places * m)
                    found.append(((1 + waits[t] + gather_wait * (c - 1)) * (1 + bubble), (t, p, c)))
    return min(found)[1] if found else None


# %% widest_group_first
# Wrong: takes the largest t, then the fewest stages that fit.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    for t in sorted(waits, reverse=True):
        for c in sorted(contexts):
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                if batch_tokens // sequence * copy // gpus < p:
                    continue
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                if held + sequence * token_bytes / (t * c) <= memory_bytes:
                    return t, p, c
    return None


# %% one_more_in_flight
# Wrong: holds one micro-batch more than there are stages.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c) * (p + 1) / p
                if m >= p and held <= memory_bytes:
                    found.append(((1 + waits[t] + gather_wait * (c - 1)) * (1 + (p - 1) * p / (places * m)), (t, p, c)))
    return min(found)[1] if found else None


# %% deals_unevenly
# Wrong: gives every copy as many whole sequences as go round and drops the rest.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy:
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        (1 + waits[t] + gather_wait * (c - 1)) * (1 + (p - 1) * p / (places * m)),
                        , (t, p, c)))
    return min(found)[1] if found else None


# %% bubble_of_computing_alone
# Wrong: lets the pipeline idle for a share of computing alone.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        1 + waits[t] + gather_wait * (c - 1) + (p - 1) * p / (places * m),
                        , (t, p, c)))
    return min(found)[1] if found else None


# %% gathers_after_the_bubble
# Wrong: lets context ranks wait outside the pipeline.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        (1 + waits[t]) * (1 + (p - 1) * p / (places * m)) + gather_wait * (c - 1),
                        , (t, p, c)))
    return min(found)[1] if found else None


# %% waits_for_every_context_rank
# Wrong: counts the first context rank too.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        (1 + waits[t] + gather_wait * c) * (1 + (p - 1) * p / (places * m)),
                        , (t, p, c)))
    return min(found)[1] if found else None


# %% multiples_of_stages
# Wrong: wants m to be a multiple of p, as one schedule does.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if (
                    places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy)
                    or batch_tokens // sequence * copy // gpus % p
                ):
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        (1 + waits[t] + gather_wait * (c - 1)) * (1 + (p - 1) * p / (places * m)),
                        , (t, p, c)))
    return min(found)[1] if found else None


# %% forgets_context_in_the_gpus
# Wrong: leaves c out where GPUs are dealt.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % (t * p) or gpus < copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        (1 + waits[t] + gather_wait * (c - 1)) * (1 + (p - 1) * p / (places * m)),
                        , (t, p, c)))
    return min(found)[1] if found else None


# %% stays_in_a_node
# Wrong: takes no group above eight.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy) or t > 8:
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        (1 + waits[t] + gather_wait * (c - 1)) * (1 + (p - 1) * p / (places * m)),
                        , (t, p, c)))
    return min(found)[1] if found else None


# %% rounds_the_time
# Wrong: rounds the time before it compares.
def choose_cut(
    *,
    gpus,
    batch_tokens,
    sequence,
    places,
    parameters,
    token_bytes,
    memory_bytes,
    waits,
    contexts,
    gather_wait,
):
    found = []
    for t in waits:
        for c in contexts:
            for p in range(1, places + 1):
                copy = t * p * c
                if places % p or gpus % copy or (batch_tokens // sequence) % (gpus // copy):
                    continue
                m = batch_tokens // sequence * copy // gpus
                held = parameters * (2 / (t * p) + 4 / (t * places) + 12 / gpus)
                held += sequence * token_bytes / (t * c)
                if m >= p and held <= memory_bytes:
                    found.append((
                        round((1 + waits[t] + gather_wait * (c - 1)) * (1 + (p - 1) * p / (places * m)), 2),
                        , (t, p, c)))
    return min(found)[1] if found else None
