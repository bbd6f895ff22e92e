# Wrong: how often each size is made.
# Message: which is none of the sizes given
def choose_runs(sizes, *, budget, most_runs, target, law):
    return [1.0] * len(sizes)
