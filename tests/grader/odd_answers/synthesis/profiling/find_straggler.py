# %% sorted_rows
# Right: the distance between the last and the second-last, given to the last.
def find_straggler(work_us):
    saved = [0] * len(work_us[0])
    for works in work_us:
        *_, second, last = sorted(works)
        saved[works.index(last)] += last - second
    return saved.index(max(saved)), max(saved)


# %% runs_twice
# Right: the step with the rank and without it, as a list.
def find_straggler(work_us):
    def end(without):
        return sum(max(w for r, w in enumerate(works) if r != without) for works in work_us)

    ends = [end(r) for r in range(len(work_us[0]))]
    return [ends.index(min(ends)), end(-1) - min(ends)]


# %% mean_of_the_others
# Wrong: what the rank is behind the others' mean.
def find_straggler(work_us):
    ranks = len(work_us[0])
    saved = [sum(max(0, w[r] - (sum(w) - w[r]) // (ranks - 1)) for w in work_us) for r in range(ranks)]
    return saved.index(max(saved)), max(saved)


# %% sums_first
# Wrong: adds up each rank's work, as if there were one collective at the end.
def find_straggler(work_us):
    sums = [sum(works[r] for works in work_us) for r in range(len(work_us[0]))]
    *_, second, last = sorted(sums)
    return sums.index(last), last - second


# %% all_waiting
# Wrong: what all ranks together wait for it.
def find_straggler(work_us):
    saved = [0] * len(work_us[0])
    for works in work_us:
        late = works.index(max(works))
        saved[late] += sum(max(works) - w for w in works)
    return saved.index(max(saved)), max(saved)
