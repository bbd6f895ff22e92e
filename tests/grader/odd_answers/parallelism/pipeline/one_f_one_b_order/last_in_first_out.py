# Wrong: runs the backward of the newest micro-batch first.
def one_f_one_b_order(stages, micro_batches, stage):
    ahead = min(stages - 1 - stage, micro_batches)
    order = [("F", i) for i in range(ahead)]
    for i in range(micro_batches - ahead):
        order += [("F", ahead + i), ("B", ahead + i)]
    return order + [("B", i) for i in reversed(range(ahead))]
