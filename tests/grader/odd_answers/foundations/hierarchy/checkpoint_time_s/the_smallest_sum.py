# Wrong: it takes the stage whose links together carry least.
# Known mistake: Compare what the fullest link leaves for a writer, not what all links of a stage carry together.


def checkpoint_time_s(*, size_bytes, writers, stages):
    links, rate = min(stages, key=lambda stage: stage[0] * stage[1])
    return -(-writers // links) * size_bytes / writers / rate
