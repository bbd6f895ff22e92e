# Right: the formula as Narayanan et al. print it, in floating point.

def step_flops(*, layers, hidden, vocabulary, batch, sequence):
    inner = 1 + sequence / (6 * hidden) + vocabulary / (12 * hidden * layers)
    return 72 * batch * sequence * layers * hidden**2 * inner
