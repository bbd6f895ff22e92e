# %% sorted
# Right: from the cheapest on, with the same overhead written in hours.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    def hours(offer):
        _, working, rate, _ = offer
        often = working / gpu_mtbf_hours  # an hour
        lost = (2 * checkpoint_s / 3600 * often) ** 0.5 + restart_s / 3600 * often
        return tokens_billion / 3.6e-6 / working / rate * (1 + lost)

    order = sorted(range(len(offers)), key=lambda i: hours(offers[i]) * offers[i][0] * offers[i][3])
    return next((i for i in order if hours(offers[i]) <= deadline_hours), None)


# %% all_fail
# Wrong: all GPUs that are paid for can interrupt the run.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    best = None
    for i, (paid, working, rate, cents) in enumerate(offers):
        between = 3600 * gpu_mtbf_hours / paid
        lost = (2 * checkpoint_s / between) ** 0.5 + restart_s / between
        hours = tokens_billion * 1e9 / working / rate / 3600 * (1 + lost)
        if hours <= deadline_hours and (best is None or hours * paid * cents < best[0]):
            best = hours * paid * cents, i
    return best and best[1]


# %% pays_for_useful_hours
# Wrong: in time with failures, but paid for without them.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    best = None
    for i, (paid, working, rate, cents) in enumerate(offers):
        between = 3600 * gpu_mtbf_hours / working
        lost = (2 * checkpoint_s / between) ** 0.5 + restart_s / between
        useful = tokens_billion * 1e9 / working / rate / 3600
        if useful * (1 + lost) <= deadline_hours and (best is None or useful * paid * cents < best[0]):
            best = useful * paid * cents, i
    return best and best[1]


# %% half_the_checkpoints
# Wrong: the losses without the two below the root.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    best = None
    for i, (paid, working, rate, cents) in enumerate(offers):
        between = 3600 * gpu_mtbf_hours / working
        lost = (checkpoint_s / between) ** 0.5 + restart_s / between
        hours = tokens_billion * 1e9 / working / rate / 3600 * (1 + lost)
        if hours <= deadline_hours and (best is None or hours * paid * cents < best[0]):
            best = hours * paid * cents, i
    return best and best[1]


# %% strict
# Wrong: exactly the deadline counts as late.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    best = None
    for i, (paid, working, rate, cents) in enumerate(offers):
        between = 3600 * gpu_mtbf_hours / working
        lost = (2 * checkpoint_s / between) ** 0.5 + restart_s / between
        hours = tokens_billion * 1e9 / working / rate / 3600 * (1 + lost)
        price = hours * paid * cents
        if hours < deadline_hours and (best is None or price < best[0]):
            best = price, i
    return best and best[1]


# %% whole_hours
# Wrong: a begun hour is paid whole.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    best = None
    for i, (paid, working, rate, cents) in enumerate(offers):
        between = 3600 * gpu_mtbf_hours / working
        lost = (2 * checkpoint_s / between) ** 0.5 + restart_s / between
        hours = tokens_billion * 1e9 / working / rate / 3600 * (1 + lost)
        price = -(-hours // 1) * paid * cents
        if hours <= deadline_hours and (best is None or price < best[0]):
            best = price, i
    return best and best[1]


# %% restart_and_checkpoint
# Wrong: a failure costs a checkpoint beside the restart.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    best = None
    for i, (paid, working, rate, cents) in enumerate(offers):
        between = 3600 * gpu_mtbf_hours / working
        lost = (2 * checkpoint_s / between) ** 0.5 + (restart_s + checkpoint_s) / between
        hours = tokens_billion * 1e9 / working / rate / 3600 * (1 + lost)
        price = hours * paid * cents
        if hours <= deadline_hours and (best is None or price < best[0]):
            best = price, i
    return best and best[1]


# %% whole_failures
# Wrong: failures are rounded to whole ones.
def choose_offer(offers, tokens_billion, deadline_hours, gpu_mtbf_hours, checkpoint_s, restart_s):
    best = None
    for i, (paid, working, rate, cents) in enumerate(offers):
        between = 3600 * gpu_mtbf_hours / working
        useful = tokens_billion * 1e9 / working / rate / 3600
        hours = useful * (1 + (2 * checkpoint_s / between) ** 0.5)
        hours += round(useful * 3600 / between) * restart_s / 3600
        price = hours * paid * cents
        if hours <= deadline_hours and (best is None or price < best[0]):
            best = price, i
    return best and best[1]
