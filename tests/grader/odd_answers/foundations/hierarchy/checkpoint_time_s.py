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

# %% the_smallest_sum
# Wrong: it takes the stage whose links together carry least.
# Known mistake: Compare what the fullest link leaves for a writer, not what all links of a stage carry together.


def checkpoint_time_s(*, size_bytes, writers, stages):
    links, rate = min(stages, key=lambda stage: stage[0] * stage[1])
    return -(-writers // links) * size_bytes / writers / rate
