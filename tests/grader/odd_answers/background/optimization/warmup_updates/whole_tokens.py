# Wrong: cuts every batch down to whole tokens, and so sees fewer.
def warmup_updates(*, warmup_tokens, first_batch_tokens, full_batch_tokens, ramp_tokens):
    tokens, updates = 0, 0
    while tokens < warmup_tokens:
        grown = min(1, tokens / ramp_tokens) if ramp_tokens else 1
        tokens += int(first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens))
        updates += 1
    return updates
