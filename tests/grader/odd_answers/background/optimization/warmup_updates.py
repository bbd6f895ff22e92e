# %% one_after_the_other_by_recursion
# Right: calls itself with the tokens that are left.
def warmup_updates(*, warmup_tokens, first_batch_tokens, full_batch_tokens, ramp_tokens, seen=0.0):
    if seen >= warmup_tokens:
        return 0
    grown = min(1.0, seen / ramp_tokens) if ramp_tokens else 1.0
    batch = first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
    return 1 + warmup_updates(
        warmup_tokens=warmup_tokens,
        first_batch_tokens=first_batch_tokens,
        full_batch_tokens=full_batch_tokens,
        ramp_tokens=ramp_tokens,
        seen=seen + batch,
    )
