# %% sorted_models
# Right: sorts those that fit by exact fractions.
def choose_served_model(models, *, requests, context, memory_bytes):
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
def choose_served_model(models, *, requests, context, memory_bytes):
    best, least = -1, None
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed * (1 - (1 - chosen / experts) ** requests) + cache
        if rest + routed + cache <= memory_bytes and (least is None or read < least - 1e-9):
            best, least = number, read
    return best


# %% whole_experts
# Wrong: rounds the experts that are read to whole ones.
def choose_served_model(models, *, requests, context, memory_bytes):
    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        touched = round(experts * (1 - (1 - chosen / experts) ** requests))
        if rest + routed + cache <= memory_bytes:
            fitting.append((rest + routed * touched / experts + cache, number))
    return min(fitting)[1] if fitting else None


# %% one_request_s_cache
# Wrong: reads and keeps the cache of one request.
def choose_served_model(models, *, requests, context, memory_bytes):
    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = token * min(context, window)
        read = rest + routed * (1 - (1 - chosen / experts) ** requests) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


# %% rule_of_thumb
# Wrong: takes the exponential for the power.
def choose_served_model(models, *, requests, context, memory_bytes):
    import math

    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed * (1 - math.exp(-requests * chosen / experts)) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


# %% experts_rounded_up
# Wrong: rounds the experts that are read up.
def choose_served_model(models, *, requests, context, memory_bytes):
    import math

    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed * math.ceil(experts * (1 - (1 - chosen / experts) ** requests)) / experts + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


# %% whole_bytes_down
# Wrong: rounds the bytes of the experts down.
def choose_served_model(models, *, requests, context, memory_bytes):
    from fractions import Fraction

    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + int(routed * (1 - (1 - Fraction(chosen, experts)) ** requests)) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


# %% whole_bytes
# Wrong: rounds the bytes of the experts.
def choose_served_model(models, *, requests, context, memory_bytes):
    from fractions import Fraction

    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + round(routed * (1 - (1 - Fraction(chosen, experts)) ** requests)) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


# %% floats
# Wrong: compares rounded numbers, so that ties aren't exact.
def choose_served_model(models, *, requests, context, memory_bytes):
    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed * (1 - (1 - chosen / experts) ** requests) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


# %% other_floats
# Wrong: the same, in another order.
def choose_served_model(models, *, requests, context, memory_bytes):
    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed - routed * ((experts - chosen) / experts) ** requests + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append((read, number))
    return min(fitting)[1] if fitting else None


# %% ties_by_memory
# Wrong: takes of equal ones the one that keeps less.
def choose_served_model(models, *, requests, context, memory_bytes):
    from fractions import Fraction

    fitting = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed * (1 - (1 - Fraction(chosen, experts)) ** requests) + cache
        if rest + routed + cache <= memory_bytes:
            fitting.append(((read, rest + routed), number))
    return min(fitting)[1] if fitting else None


# %% best_of_all_or_none
# Wrong: chooses before it looks which ones fit.
def choose_served_model(models, *, requests, context, memory_bytes):
    from fractions import Fraction

    rows = []
    for number, (rest, routed, experts, chosen, token, window) in enumerate(models):
        cache = requests * token * min(context, window)
        read = rest + routed * (1 - (1 - Fraction(chosen, experts)) ** requests) + cache
        rows.append((read, number, rest + routed + cache))
    _, number, kept = min(rows)
    return number if kept <= memory_bytes else None


# %% number_among_those_that_fit
# Wrong: counts those that fit alone.
def choose_served_model(models, *, requests, context, memory_bytes):
    from fractions import Fraction

    reads = []
    for rest, routed, experts, chosen, token, window in models:
        cache = requests * token * min(context, window)
        if rest + routed + cache <= memory_bytes:
            reads.append(rest + routed * (1 - (1 - Fraction(chosen, experts)) ** requests) + cache)
    return reads.index(min(reads)) if reads else None
