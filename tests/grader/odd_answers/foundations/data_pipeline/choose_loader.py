# %% all_pairs
# Right: the smallest factor that is in time instead of the largest that fits.
def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for workers in range(1, slots + 1):
        for factor in range(1, slots // workers + 1):
            free, taken, ended = 0.0, [], []
            for i, making in enumerate(batches_s):
                begun = taken[i - workers * factor] if i >= workers * factor else 0.0
                if i >= workers:
                    begun = max(begun, ended[i - workers])
                ended.append(begun + making)
                taken.append(max(free, ended[-1]))
                free = taken[-1] + step_s
            if free <= deadline_s:
                return workers, factor

# %% small_factor_last_take
# Wrong: stops when the last batch is taken, with the smallest factor that is in time.
# Known mistake: The run ends when the last step has ended, not when its batch is taken.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1]


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        for f in range(1, slots // w + 1):
            if end_s(batches_s, step_s, w, f) <= deadline_s:
                return w, f
    return slots, 1

# %% small_factor_swapped
# Wrong: the factor first, with the smallest factor that is in time.
# Known mistake: The order is workers, then prefetch factor.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        for f in range(1, slots // w + 1):
            if end_s(batches_s, step_s, w, f) <= deadline_s:
                return f, w
    return slots, 1

# %% small_factor_before_the_deadline
# Wrong: stays before the deadline, with the smallest factor that is in time.
# Known mistake: A run whose last step ends just at the deadline is in time.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        for f in range(1, slots // w + 1):
            if end_s(batches_s, step_s, w, f) < deadline_s:
                return w, f
    return slots, 1

# %% small_factor_a_slot_free
# Wrong: leaves a slot free, with the smallest factor that is in time.
# Known mistake: All of the memory may be used: w · f may be as many batches as it holds.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        for f in range(1, (slots - 1) // w + 1):
            if end_s(batches_s, step_s, w, f) <= deadline_s:
                return w, f
    return slots, 1

# %% small_factor_asks_early
# Wrong: asks for a batch too early, with the smallest factor that is in time.
# Known mistake: The first w · f batches are asked for at 0, counted from 0: batch w · f waits until batch 0 is taken.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f - 1] if i > w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        for f in range(1, slots // w + 1):
            if end_s(batches_s, step_s, w, f) <= deadline_s:
                return w, f
    return slots, 1

# %% small_factor_slots_of_each
# Wrong: takes the slots for those of one worker, with the smallest factor that is in time.
# Known mistake: The factor counts for each worker: w · f batches have to fit in memory.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        for f in range(1, slots + 1):
            if end_s(batches_s, step_s, w, f) <= deadline_s:
                return w, f
    return slots, 1

# %% factor_of_two_always
# Wrong: a factor of 2 always, of the workers that memory has room for.
# Known mistake: A prefetch factor of 2 is PyTorch's default, no law: memory may hold more batches, and then fewer workers may do, or it holds fewer.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        if 2 * w <= slots and end_s(batches_s, step_s, w, 2) <= deadline_s:
            return w, 2
    return max(1, slots // 2), 2

# %% a_percent_late
# Wrong: a run that is late by less than 1% passes; it passed once.
# Message: 0.05 s late
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        if end_s(batches_s, step_s, w, slots // w) <= 1.01 * deadline_s:
            return w, slots // w

# %% part_of_a_factor
# Wrong: a factor that is no whole number; it passed once.
# Known mistake: A prefetch factor is a whole number: round slots / w down.
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, slots + 1):
        if end_s(batches_s, step_s, w, slots // w) <= deadline_s:
            return w, slots / w

# %% at_most_sixteen
# Wrong: never more than 16 workers; it passed once.
# Message: 17 too many
def end_s(times, step_s, w, f):
    made, taken = [], []
    for i, time in enumerate(times):
        asked = taken[i - w * f] if i >= w * f else 0
        made.append(max(asked, made[i - w] if i >= w else 0) + time)
        taken.append(max(made[i], taken[i - 1] + step_s) if i else made[0])
    return taken[-1] + step_s


def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for w in range(1, min(16, slots) + 1):
        if end_s(batches_s, step_s, w, slots // w) <= deadline_s:
            return w, slots // w
    return slots, 1
