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
