# Wrong: looks for lines that are too small, so a slip that makes a number larger is missed.
def find_slip(lines, *, parameters, tokens, devices, flops_per_s, batch_tokens, link_bits_per_s):
    right = [16 * parameters / 1e9, 6 * parameters * tokens]
    right.append(right[1] / devices / flops_per_s)
    right.append(tokens / batch_tokens)
    right.append(4 * parameters / (link_bits_per_s / 8))
    right.append((right[2] + right[3] * right[4]) / 86400)
    small = [n for n in range(6) if lines[n] < 0.97 * right[n]]
    return (small[0] if small else 5) + 1, right[5]
