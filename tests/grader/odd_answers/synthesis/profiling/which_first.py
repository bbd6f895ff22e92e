# %% milliseconds
# Right: whole numbers, all times a million.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    def step(part="", speed=100):
        def took(name, ms):
            return 22_000 * ms if name != part else 2_200_000 * ms // speed

        computing = took("matmul", matmul_ms) + took("attention", attention_ms)
        rest = took("transfer", transfer_ms) + took("waiting", waiting_ms) + took("data", data_ms)
        return max(computing, 22_000 * hidden_ms) + rest

    best, found = step(), -1
    for number, (part, speed) in enumerate(proposals):
        if step(part, speed) < best:
            best, found = step(part, speed), number
    return found


# %% by_saving
# Right: by what each saves, of computing only what isn't needed to hide.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    from fractions import Fraction as F

    sizes = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)
    spare = max(0, matmul_ms + attention_ms - hidden_ms)
    saved = []
    for part, speed in proposals:
        less = sizes[part] - F(100 * sizes[part], speed)
        saved.append(min(less, spare) if part in ("matmul", "attention") else less)
    return saved.index(max(saved)) if max(saved) > 0 else -1


# %% most_in_its_part
# Wrong: the time that it takes from its own part, whatever hides there.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    sizes = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)
    saved = [sizes[part] - 100 * sizes[part] / speed for part, speed in proposals]
    return saved.index(max(saved)) if max(saved) > 0 else -1


# %% hides_under_transfers_too
# Wrong: lets the hidden part run beside everything.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    from fractions import Fraction as F

    sizes = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)

    def step(part, speed):
        return max(F(hidden_ms), sum({**sizes, part: F(100 * sizes[part], speed)}.values()))

    steps = [step(*one) for one in proposals]
    return steps.index(min(steps)) if min(steps) < step("data", 100) else -1


# %% none_is_none
# Wrong: nothing, where nothing helps.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    sizes = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)
    spare = max(0, matmul_ms + attention_ms - hidden_ms)
    saved = []
    for part, speed in proposals:
        less = sizes[part] - 100 * sizes[part] / speed
        saved.append(min(less, spare) if part in ("matmul", "attention") else less)
    if max(saved) > 0:
        return saved.index(max(saved))


# %% floats
# Wrong: in floats, which tell equally good proposals apart.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    now = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)

    def step(took):
        computing = took["matmul"] + took["attention"]
        return max(computing, hidden_ms) + took["transfer"] + took["waiting"] + took["data"]

    steps = [step({**now, part: now[part] * 100 / speed}) for part, speed in proposals]
    return steps.index(min(steps)) if min(steps) < step(now) else -1


# %% floats_divided
# Wrong: in floats, which tell equally good proposals apart.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    now = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)

    def step(took):
        computing = took["matmul"] + took["attention"]
        return max(computing, hidden_ms) + took["transfer"] + took["waiting"] + took["data"]

    steps = [step({**now, part: now[part] / speed * 100}) for part, speed in proposals]
    return steps.index(min(steps)) if min(steps) < step(now) else -1


# %% floats_factor
# Wrong: in floats, which tell equally good proposals apart.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    now = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)

    def step(took):
        computing = took["matmul"] + took["attention"]
        return max(computing, hidden_ms) + took["transfer"] + took["waiting"] + took["data"]

    steps = [step({**now, part: now[part] * (100 / speed)}) for part, speed in proposals]
    return steps.index(min(steps)) if min(steps) < step(now) else -1


# %% floats_speed
# Wrong: in floats, which tell equally good proposals apart.
def which_first(proposals, matmul_ms, attention_ms, hidden_ms, transfer_ms, waiting_ms, data_ms):
    now = dict(matmul=matmul_ms, attention=attention_ms, transfer=transfer_ms, waiting=waiting_ms, data=data_ms)

    def step(took):
        computing = took["matmul"] + took["attention"]
        return max(computing, hidden_ms) + took["transfer"] + took["waiting"] + took["data"]

    steps = [step({**now, part: now[part] / (speed / 100)}) for part, speed in proposals]
    return steps.index(min(steps)) if min(steps) < step(now) else -1
