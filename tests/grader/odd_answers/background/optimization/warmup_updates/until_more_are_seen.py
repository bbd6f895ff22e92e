# Wrong: `<=`, so that a warm-up that ends with an update has one more.
# Known mistake: An update follows only while fewer than warmup_tokens have been seen: `<`, not `<=`.
def warmup_updates(*, warmup_tokens, first_batch_tokens, full_batch_tokens, ramp_tokens):
    tokens, updates = 0.0, 0
    while tokens <= warmup_tokens:
        grown = min(1.0, tokens / ramp_tokens) if ramp_tokens else 1.0
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        updates += 1
    return updates
