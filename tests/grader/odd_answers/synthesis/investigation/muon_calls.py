# %% by_ratio
# Right: divides the calls by those that are due.
def muon_calls(calls, steps, matrices, micro_batches, rows, columns):
    due = steps * matrices
    small, large = sorted([rows, columns])
    one = 20 * small * small * large + 10 * small**3
    names = {0: "never", micro_batches * due: "micro", due: "step"}
    return names.get(calls, "other"), calls * one - due * one


# %% any_multiple
# Wrong: takes any multiple of what is due for once each micro-batch.
def muon_calls(calls, steps, matrices, micro_batches, rows, columns):
    due = steps * matrices
    small, large = sorted([rows, columns])
    one = 20 * small * small * large + 10 * small**3
    if calls == due:
        return "step", 0
    name = "never" if calls == 0 else "micro" if calls % due == 0 else "other"
    return name, (calls - due) * one


# %% square_term_forgotten
# Wrong: leaves the product of two small squares out.
def muon_calls(calls, steps, matrices, micro_batches, rows, columns):
    due = steps * matrices
    small, large = sorted([rows, columns])
    name = {0: "never", micro_batches * due: "micro", due: "step"} | {due: "step"}
    return name.get(calls, "other"), (calls - due) * 20 * small * small * large


# %% at_most_what_is_due
# Wrong: calls some calls, but too few, none.
def muon_calls(calls, steps, matrices, micro_batches, rows, columns):
    due = steps * matrices
    small, large = sorted([rows, columns])
    one = 20 * small * small * large + 10 * small**3
    name = "never" if calls < due else {due * micro_batches: "micro", due: "step"} | {due: "step"}
    return name if calls < due else name.get(calls, "other"), (calls - due) * one
