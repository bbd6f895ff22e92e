# %% one_link_after_the_other
# Right: it deals the writers to the links.


def checkpoint_time_s(*, size_bytes, writers, stages):
    slowest = 0
    for links, rate in stages:
        busy = [0] * links
        for writer in range(writers):
            busy[writer % links] += size_bytes / writers / rate
        slowest = max(slowest, max(busy))
    return slowest
