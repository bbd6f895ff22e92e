# Wrong: where the batch is full from the start, ramp_tokens is 0.
# Message: ZeroDivisionError: division by zero (line 6)
def warmup_updates(*, warmup_tokens, first_batch_tokens, full_batch_tokens, ramp_tokens):
    tokens, updates = 0, 0
    while tokens < warmup_tokens:
        grown = min(1, tokens / ramp_tokens)
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        updates += 1
    return updates
