# Wrong: the days hold the communication of a single step.
def find_slip(lines, *, parameters, tokens, devices, flops_per_s, batch_tokens, link_bits_per_s):
    right = [16 * parameters / 1e9, 6 * parameters * tokens]
    right.append(right[1] / devices / flops_per_s)
    right.append(tokens / batch_tokens)
    right.append(4 * parameters / (link_bits_per_s / 8))
    right.append((right[2] + right[4]) / 86400)
    off = [abs(line / true - 1) > 0.03 for line, true in zip(lines, right, strict=True)]
    return off.index(True) + 1, right[5]
