# Wrong: "F0" for ("F", 0).
def one_f_one_b_order(stages, micro_batches, stage):
    ahead = min(stages - 1 - stage, micro_batches)
    order = [f"F{i}" for i in range(ahead)]
    for i in range(micro_batches - ahead):
        order += [f"F{ahead + i}", f"B{i}"]
    return order + [f"B{i}" for i in range(micro_batches - ahead, micro_batches)]
