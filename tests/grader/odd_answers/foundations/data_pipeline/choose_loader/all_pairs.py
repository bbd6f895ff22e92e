# Right: the smallest factor that is in time instead of the largest that fits.
def choose_loader(batches_s, *, step_s, slots, deadline_s):
    for workers in range(1, slots + 1):
        for factor in range(1, slots // workers + 1):
            free, taken, ended = 0.0, [], []
            for i, making in enumerate(batches_s):
                begun = taken[i - workers * factor] if i >= workers * factor else 0.0
                if i >= workers:
                    begun = max(begun, ended[i - workers])
                ended.append(begun + making)
                taken.append(max(free, ended[-1]))
                free = taken[-1] + step_s
            if free <= deadline_s:
                return workers, factor
