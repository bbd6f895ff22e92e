# %% divides_by_no_ramp
# Wrong: where the batch is full from the start, ramp_tokens is 0.
# Message: ZeroDivisionError: division by zero (line 6)
def warmup_updates(*, warmup_tokens, first_batch_tokens, full_batch_tokens, ramp_tokens):
    tokens, updates = 0, 0
    while tokens < warmup_tokens:
        grown = min(1, tokens / ramp_tokens)
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        updates += 1
    return updates

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

# %% until_more_are_seen
# Wrong: `<=`, so that a warm-up that ends with an update has one more.
# Known mistake: An update follows only while fewer than warmup_tokens have been seen: `<`, not `<=`.
def warmup_updates(*, warmup_tokens, first_batch_tokens, full_batch_tokens, ramp_tokens):
    tokens, updates = 0.0, 0
    while tokens <= warmup_tokens:
        grown = min(1.0, tokens / ramp_tokens) if ramp_tokens else 1.0
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        updates += 1
    return updates
