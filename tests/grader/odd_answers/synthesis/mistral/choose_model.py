# %% sorted_models
# Right: sorts those that fit by exact fractions.
def choose_model(models, *, requests, context, memory_bytes):
    from fractions import Fraction

    rows = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * (context if context < window else window)
        unread = Fraction((experts - chosen) ** requests, experts**requests)
        rows.append((rest + cache + routed - routed * unread, number, rest + routed + cache))
    rows = [row for row in sorted(rows) if row[2] <= memory_bytes]
    return rows[0][1] if rows else None


# %% minus_one_for_none
# Wrong: a number where none fits.
def choose_model(models, *, requests, context, memory_bytes):
    best, least = -1, None
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed * (1 - (1 - chosen / experts) ** requests) + cache
        if rest + routed + cache <= memory_bytes and (least is None or read < least - 1e-9):
            best, least = number, read
    return best


# %% whole_experts
# Wrong: rounds the experts that are read to whole ones.
def choose_model(models, *, requests, context, memory_bytes):
    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        touched = round(experts * (1 - (1 - chosen / experts) ** requests))
        if rest + routed + cache <= memory_bytes:
            fitting.append((rest + routed * touched / experts + cache, number))
    return min(fitting)[1] if fitting else None


# %% one_request_s_cache
# Wrong: reads and keeps the cache of one request.
def choose_model(models, *, requests, context, memory_bytes):
    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = token * min(context, window)
        read = rest + routed * (1 - (1 - chosen / experts) ** requests) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None
