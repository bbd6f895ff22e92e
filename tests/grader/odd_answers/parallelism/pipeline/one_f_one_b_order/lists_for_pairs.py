# Right: lists for the pairs.
def one_f_one_b_order(stages, micro_batches, stage):
    ahead = min(stages - 1 - stage, micro_batches)
    order = [["F", i] for i in range(ahead)]
    for i in range(micro_batches - ahead):
        order += [["F", ahead + i], ["B", i]]
    return order + [["B", i] for i in range(micro_batches - ahead, micro_batches)]
