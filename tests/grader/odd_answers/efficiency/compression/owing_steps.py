# %% sums
# Right: all that was wanted and all that was sent, as two running sums.
def owing_steps(parameters, *, gradients, learning_rate, kept):
    size = len(parameters)
    wanted, sent = [0.0] * size, [0.0] * size
    for gradient in gradients:
        for i in range(size):
            wanted[i] += learning_rate * gradient[i]
        debts = [w - s for w, s in zip(wanted, sent)]
        for i in sorted(range(size), key=lambda i: (abs(debts[i]), -i), reverse=True)[:kept]:
            sent[i] += debts[i]
    return [p - s for p, s in zip(parameters, sent)], [w - s for w, s in zip(wanted, sent)]


# %% threshold
# Wrong: everything as large as the smallest kept magnitude is sent, so ties send more than allowed.
def owing_steps(parameters, *, gradients, learning_rate, kept):
    point, owed = list(parameters), [0.0] * len(parameters)
    for gradient in gradients:
        wanted = [learning_rate * g + m for g, m in zip(gradient, owed)]
        least = sorted((abs(w) for w in wanted), reverse=True)[kept - 1]
        sent = [w if abs(w) >= least else 0.0 for w in wanted]
        point = [p - s for p, s in zip(point, sent)]
        owed = [w - s for w, s in zip(wanted, sent)]
    return point, owed


# %% in_gradients
# Wrong: the memory is kept in units of the gradient, and returned so.
def owing_steps(parameters, *, gradients, learning_rate, kept):
    point, owed = list(parameters), [0.0] * len(parameters)
    for gradient in gradients:
        wanted = [g + m for g, m in zip(gradient, owed)]
        order = sorted(range(len(wanted)), key=lambda i: -abs(wanted[i]))[:kept]
        owed = [0.0 if i in order else w for i, w in enumerate(wanted)]
        for i in order:
            point[i] -= learning_rate * wanted[i]
    return point, owed


# %% pays_in_the_end
# Wrong: what is owed is paid after the last step.
def owing_steps(parameters, *, gradients, learning_rate, kept):
    point, owed = list(parameters), [0.0] * len(parameters)
    for gradient in gradients:
        wanted = [learning_rate * g + m for g, m in zip(gradient, owed)]
        order = sorted(range(len(wanted)), key=lambda i: -abs(wanted[i]))[:kept]
        owed = [0.0 if i in order else w for i, w in enumerate(wanted)]
        for i in order:
            point[i] -= wanted[i]
    return [p - m for p, m in zip(point, owed)], [0.0] * len(parameters)
