# %% last_of_equals
# Right: takes the last of the best.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    def cost(i):
        rate, kept, added, more = formats[i]
        return (1 + more) * (other_s + added + matmul_flops * kept / bf16_flops_per_s + matmul_flops * (1 - kept) / rate)

    return min(reversed(range(len(formats))), key=cost)


# %% amdahl_without_the_rest
# Wrong: shares of the first format's step, but without what quantizing adds.
# Known mistake: You left out what quantizing adds to a step.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    first = matmul_flops * ((1 - formats[0][1]) / formats[0][0] + formats[0][1] / bf16_flops_per_s)
    whole = first + other_s

    def cost(i):
        rate, kept, _, more = formats[i]
        matmuls = matmul_flops * ((1 - kept) / rate + kept / bf16_flops_per_s)
        return (other_s / whole + matmuls / whole) * (1 + more)

    return min(range(len(formats)), key=cost)


# %% tokens_divide
# Wrong: divides by the tokens instead of multiplying.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    def cost(i):
        rate, kept, added, more = formats[i]
        return (other_s + added + matmul_flops * (kept / bf16_flops_per_s + (1 - kept) / rate)) / (1 + more)

    return min(range(len(formats)), key=cost)


# %% gain_minus_tokens
# Wrong: subtracts the tokens from the gain instead of multiplying.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    steps = [other_s + a + matmul_flops * (k / bf16_flops_per_s + (1 - k) / r) for r, k, a, _ in formats]
    gains = [steps[0] / one - 1 - more for one, (_, _, _, more) in zip(steps, formats)]
    return gains.index(max(gains))


# %% last_that_beats_the_first
# Wrong: compares with the first format only.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    times = [(other_s + a + matmul_flops * (k / bf16_flops_per_s + (1 - k) / r)) * (1 + m) for r, k, a, m in formats]
    best = 0
    for number, time in enumerate(times):
        if time < times[0]:
            best = number
    return best


# %% first_that_beats_the_first
# Wrong: takes the first format that is better than the first.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    times = [(other_s + a + matmul_flops * (k / bf16_flops_per_s + (1 - k) / r)) * (1 + m) for r, k, a, m in formats]
    return next((number for number, time in enumerate(times) if time < times[0]), 0)


# %% quantizes_what_is_narrow
# Wrong: quantizing shrinks with the share that is kept.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    def cost(i):
        r, k, a, m = formats[i]
        return (other_s + a * (1 - k) + matmul_flops * (k / bf16_flops_per_s + (1 - k) / r)) * (1 + m)

    return min(range(len(formats)), key=cost)


# %% of_the_first_three
# Wrong: looks at three formats only.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    times = [(other_s + a + matmul_flops * (k / bf16_flops_per_s + (1 - k) / r)) * (1 + m) for r, k, a, m in formats]
    return times[:3].index(min(times[:3]))


# %% quantizes_once_a_run
# Wrong: extra steps quantize nothing.
# Known mistake: You left quantizing out of the extra steps. Each of them quantizes too.
def choose_format(formats, *, matmul_flops, bf16_flops_per_s, other_s):
    def cost(i):
        r, k, a, m = formats[i]
        return (other_s + matmul_flops * (k / bf16_flops_per_s + (1 - k) / r)) * (1 + m) + a

    return min(range(len(formats)), key=cost)
