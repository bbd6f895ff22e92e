# Wrong: micro-batches are counted from 0.
def one_f_one_b_order(stages, micro_batches, stage):
    ahead = min(stages - 1 - stage, micro_batches)
    order = [("F", i + 1) for i in range(ahead)]
    for i in range(micro_batches - ahead):
        order += [("F", ahead + i + 1), ("B", i + 1)]
    return order + [("B", i + 1) for i in range(micro_batches - ahead, micro_batches)]
