# %% sets
# Right: sets of microseconds.
def attribute_step(events, step_us):
    seen = {"compute": set(), "communication": set(), "data": set()}
    for kind, begin, end in events:
        seen[kind] |= set(range(max(0, begin), min(end, step_us)))
    compute, talk, data = seen["compute"], seen["communication"], seen["data"]
    talk = talk - compute
    data = data - talk - compute
    used = len(compute), len(talk), len(data)
    return (*used, step_us - sum(used))


# %% list
# Right: as a list.
def attribute_step(events, step_us):
    owner = ["idle"] * step_us
    for wanted in ("data", "communication", "compute"):
        for kind, begin, end in events:
            if kind == wanted:
                for t in range(max(0, begin), min(end, step_us)):
                    owner[t] = kind
    return [owner.count(kind) for kind in ("compute", "communication", "data", "idle")]


# %% last_event_wins
# Wrong: whoever comes last in the list has the instant.
def attribute_step(events, step_us):
    owner = ["idle"] * step_us
    for kind, begin, end in events:
        for t in range(max(0, begin), min(end, step_us)):
            owner[t] = kind
    return tuple(owner.count(kind) for kind in ("compute", "communication", "data", "idle"))


# %% hidden_is_whole_or_not
# Wrong: an exchange that any kernel touches counts as hidden.
def attribute_step(events, step_us):
    inside = [(k, max(b, 0), min(e, step_us)) for k, b, e in events]
    work = [(b, e) for k, b, e in inside if k == "compute"]
    busy = {t for b, e in work for t in range(b, e)}
    talk = set()
    for k, b, e in inside:
        if k == "communication" and not any(b < stop and start < e for start, stop in work):
            talk |= set(range(b, e))
    data = {t for k, b, e in inside if k == "data" for t in range(b, e)} - busy - talk
    return len(busy), len(talk), len(data), step_us - len(busy) - len(talk) - len(data)


# %% both_ends
# Wrong: counts the last microsecond too.
def attribute_step(events, step_us):
    owner = [3] * step_us
    for kind, begin, end in events:
        which = ("compute", "communication", "data").index(kind)
        for t in range(max(0, begin), min(end + 1, step_us)):
            owner[t] = min(owner[t], which)
    return tuple(owner.count(k) for k in range(4))


# %% touches_the_step
# Wrong: an event counts if it begins or ends in the step, so one that spans it is lost.
def attribute_step(events, step_us):
    own = [3] * step_us
    for n, kind in ((2, "data"), (1, "communication"), (0, "compute")):
        for k, begin, end in events:
            if k == kind and (0 <= begin <= step_us or 0 <= end <= step_us):
                for t in range(max(0, begin), min(step_us, end)):
                    own[t] = n
    return tuple(own.count(n) for n in range(4))
