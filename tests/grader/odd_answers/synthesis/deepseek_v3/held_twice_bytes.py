# %% optimizer_by_gpus
# Right: all optimizer state is shared by the GPUs of both stages.
def held_twice_bytes(dense, experts, tensor_parallel, data_parallel, expert_parallel):
    gpus = 2 * tensor_parallel * data_parallel
    held = 12 * dense / tensor_parallel + 12 * experts / expert_parallel
    return held + 2 * 8 * (dense + experts) / gpus


# %% fractions
# Right: with fractions.
def held_twice_bytes(dense, experts, tensor_parallel, data_parallel, expert_parallel):
    from fractions import Fraction as F

    both = F(dense, tensor_parallel), F(experts, expert_parallel)
    ranks = 2 * data_parallel, F(2 * data_parallel * tensor_parallel, expert_parallel)
    return float(sum(2 * own * (6 + 8 / F(count)) for own, count in zip(both, ranks)))


# %% stage_on_one_direction
# Wrong: holds two stages, but shares the optimizer's state as if each stage were on one of the two GPUs.
def held_twice_bytes(dense, experts, tensor_parallel, data_parallel, expert_parallel):
    gpus = tensor_parallel * data_parallel
    held = 12 * dense / tensor_parallel + 12 * experts / expert_parallel
    return held + 16 * (dense + experts) / gpus


# %% whole_parameters
# Wrong: leaves out what is left over of a division.
def held_twice_bytes(dense, experts, tensor_parallel, data_parallel, expert_parallel):
    own, dealt = 2 * (dense // tensor_parallel), 2 * (experts // expert_parallel)
    copies = 2 * data_parallel
    return own * (6 + 8 / copies) + dealt * (6 + 8 * expert_parallel / (copies * tensor_parallel))


# %% master_of_each
# Wrong: shares the moments and leaves the master weights on every GPU.
def held_twice_bytes(dense, experts, tensor_parallel, data_parallel, expert_parallel):
    gpus = 2 * tensor_parallel * data_parallel
    held = 20 * dense / tensor_parallel + 20 * experts / expert_parallel
    return held + 2 * 4 * (dense + experts) / gpus
