# %% from_all_down
# Right: halves the group as long as the half still does.
def fewest_sharers(gpus, state_gb, sequence_gb, limit_gb, sequences):
    def does(group):
        fits = state_gb * group + sequence_gb * gpus <= limit_gb * gpus * group
        return fits and gpus <= group * sequences

    if not does(gpus):
        return None
    group = gpus
    while group > 1 and does(group // 2):
        group //= 2
    return group


# %% rounds_down
# Wrong: whole gigabytes, rounded down, so a GPU may hold a little more than it may.
def fewest_sharers(gpus, state_gb, sequence_gb, limit_gb, sequences):
    group = 1
    while group <= gpus:
        if state_gb // gpus + sequence_gb // group <= limit_gb and gpus // group <= sequences:
            return group
        group *= 2
    return None


# %% no_power_of_two
# Wrong: the quotient as it is.
def fewest_sharers(gpus, state_gb, sequence_gb, limit_gb, sequences):
    left = limit_gb * gpus - state_gb
    if left <= 0:
        return None
    group = max(1, -(-sequence_gb * gpus // left), -(-gpus // sequences))
    return group if group <= gpus else None


# %% sixty_four_at_most
# Wrong: no group of more than 64.
def fewest_sharers(gpus, state_gb, sequence_gb, limit_gb, sequences):
    group = 1
    while group <= min(64, gpus):
        if state_gb / gpus + sequence_gb / group <= limit_gb and gpus / group <= sequences:
            return group
        group *= 2
    return None
