# %% in_whole_numbers
# Right: compares whole numbers, both sides times GPUs and places.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    for p in (p for p in range(1, places + 1) if places % p == 0 and gpus % (tensor * p) == 0):
        copies = gpus // (tensor * p)
        held = places * (2 * parameters * copies + 12 * parameters + batch_tokens * token_bytes)
        if held + 4 * parameters * copies * p <= places * gpus * memory_bytes:
            return p
    return None


# %% solved_for_p
# Wrong: solves the inequality for p and rounds up, whether p divides or not.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    shared = (12 * parameters + batch_tokens * token_bytes) / gpus + 4 * parameters / (tensor * places)
    if memory_bytes <= shared:
        return None
    p = max(1, -int(-2 * parameters / (tensor * (memory_bytes - shared)) // 1))
    return p if p <= places else None


# %% powers_of_two
# Wrong: tries powers of two alone.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    p = 1
    while p <= places:
        shared = (12 * parameters + batch_tokens * token_bytes) / gpus + 4 * parameters / (tensor * places)
        if places % p == 0 and gpus % (tensor * p) == 0 and 2 * parameters / (tensor * p) + shared <= memory_bytes:
            return p
        p *= 2
    return None


# %% whole_bytes
# Wrong: drops the fraction of a byte.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    for p in range(1, places + 1):
        shared = (12 * parameters + batch_tokens * token_bytes) / gpus + 4 * parameters / (tensor * places)
        if places % p == 0 and gpus % (tensor * p) == 0 and (2 * parameters / (tensor * p) + shared) // 1 <= memory_bytes:
            return p
    return None


# %% stages_alone_divide
# Wrong: looks whether p divides the GPUs, and not t·p.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    for p in range(1, places + 1):
        shared = (12 * parameters + batch_tokens * token_bytes) / gpus + 4 * parameters / (tensor * places)
        if places % p == 0 and gpus % p == 0 and gpus >= tensor * p and 2 * parameters / (tensor * p) + shared <= memory_bytes:
            return p
    return None


# %% never_one_copy
# Wrong: never lets one copy have all GPUs.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    for p in range(1, min(places, gpus // tensor - 1) + 1):
        shared = (12 * parameters + batch_tokens * token_bytes) / gpus + 4 * parameters / (tensor * places)
        if places % p == 0 and gpus % (tensor * p) == 0 and 2 * parameters / (tensor * p) + shared <= memory_bytes:
            return p
    return None


# %% at_most_64
# Wrong: tries at most 64 stages.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    for p in range(1, min(places, 64) + 1):
        shared = (12 * parameters + batch_tokens * token_bytes) / gpus + 4 * parameters / (tensor * places)
        if places % p == 0 and gpus % (tensor * p) == 0 and 2 * parameters / (tensor * p) + shared <= memory_bytes:
            return p
    return None


# %% a_percent_over
# Wrong: lets memory be a percent too full.
def fewest_stages(*, parameters, places, gpus, tensor, memory_bytes, batch_tokens, token_bytes):
    for p in range(1, places + 1):
        shared = (12 * parameters + batch_tokens * token_bytes) / gpus + 4 * parameters / (tensor * places)
        if places % p == 0 and gpus % (tensor * p) == 0 and (2 * parameters / (tensor * p) + shared) / 1.01 <= memory_bytes:
            return p
    return None
