# %% in_one_line
# Right: a list of steps, the shared fleet's first, so that it wins a tie.
def split_fleet(gpus, generation_s, training_s, moving_s, steps_off):
    together = max if steps_off > 0 else lambda a, b: a + b
    steps = [(generation_s[gpus] + training_s[gpus], 0)]
    steps += [
        (together(s, training_s[gpus - g]) + moving_s, g) for g, s in generation_s.items() if gpus - g in training_s
    ]
    return min(steps)[1] or None


# %% by_training_side
# Right: goes through the GPUs that train, the most first.
def split_fleet(gpus, generation_s, training_s, moving_s, steps_off):
    best = None
    shortest = generation_s[gpus] + training_s[gpus] - moving_s
    for trains in sorted(training_s, reverse=True):
        generates = gpus - trains
        if generates in generation_s:
            if steps_off == 0:
                step = generation_s[generates] + training_s[trains]
            else:
                step = max(generation_s[generates], training_s[trains])
            if step < shortest:
                best, shortest = generates, step
    return best


# %% balances
# Wrong: the split whose sides differ least isn't always the fastest, nor faster than sharing.
def split_fleet(gpus, generation_s, training_s, moving_s, steps_off):
    able = [g for g in sorted(generation_s) if gpus - g in training_s]
    if not able or steps_off == 0:
        return None
    return min(able, key=lambda g: abs(generation_s[g] - training_s[gpus - g]))


# %% more_steps_off
# Wrong: divides the step by the steps off, as if more of them made it shorter.
def split_fleet(gpus, generation_s, training_s, moving_s, steps_off):
    best, least = None, generation_s[gpus] + training_s[gpus]
    for g in sorted(generation_s):
        if gpus - g in training_s:
            step = (generation_s[g] + training_s[gpus - g]) / (steps_off + 1) + moving_s
            if step < least:
                best, least = g, step
    return best


# %% zero_for_none
# Wrong: 0 GPUs that generate where nothing is to be split.
def split_fleet(gpus, generation_s, training_s, moving_s, steps_off):
    steps = [(generation_s[gpus] + training_s[gpus], 0)]
    for g in generation_s:
        if gpus - g in training_s:
            sides = [generation_s[g], training_s[gpus - g]]
            steps.append(((max(sides) if steps_off else sum(sides)) + moving_s, g))
    return min(steps)[1]


# %% stops_at_the_crossing
# Wrong: stops where generation has fallen to training, but more GPUs may be slower.
# Known mistake: You stopped where the sides cross. More GPUs may be slower, and with no step off a crossing says nothing.
def split_fleet(gpus, generation_s, training_s, moving_s, steps_off):
    best, least = None, generation_s[gpus] + training_s[gpus]
    for g in sorted(generation_s):
        if gpus - g not in training_s:
            continue
        a, b = generation_s[g], training_s[gpus - g]
        step = (max(a, b) if steps_off else a + b) + moving_s
        if step < least:
            best, least = g, step
        if a <= b:
            break
    return best


# %% wants_half_a_percent
# Wrong: leaves small gains, though any shorter step is faster.
def split_fleet(gpus, generation_s, training_s, moving_s, steps_off):
    best, least = None, 0.995 * (generation_s[gpus] + training_s[gpus])
    for g in sorted(generation_s):
        if gpus - g in training_s:
            sides = [generation_s[g], training_s[gpus - g]]
            step = (max(sides) if steps_off else sum(sides)) + moving_s
            if step < least:
                best, least = g, step
    return best
