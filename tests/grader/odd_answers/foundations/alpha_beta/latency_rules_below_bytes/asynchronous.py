# Wrong: an async function returns a coroutine, which nobody waits for.
# Message: coroutine
async def latency_rules_below_bytes(*, ranks, latency_s, bandwidth_bytes_per_s):
    return ranks * latency_s * bandwidth_bytes_per_s
