# %% multiplied_out
# Right: m = B·t·p·c / (s·R), if both divisions come out even.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    copy = tensor * pipeline * context
    m, left = divmod(batch_tokens * copy, sequence * gpus)
    return None if left or gpus % copy or m == 0 else m


# %% whole_product_only
# Wrong: m comes out even here although GPUs are left over.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    m, left = divmod(batch_tokens * tensor * pipeline * context, sequence * gpus)
    return None if left or m == 0 else m


# %% as_many_as_stages
# Wrong: takes the chapter's surprise for a law.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    copy = tensor * pipeline * context
    if gpus % copy or (batch_tokens // sequence) % (gpus // copy) or not batch_tokens:
        return None
    return pipeline * context


# %% groups_in_a_node
# Wrong: takes no group above eight.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    copy = tensor * pipeline * context
    if gpus % copy or (batch_tokens // sequence) % (gpus // copy) or tensor > 8:
        return None
    return batch_tokens // sequence * copy // gpus or None


# %% powers_of_two
# Wrong: takes no group that isn't a power of two.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    copy = tensor * pipeline * context
    if gpus % copy or (batch_tokens // sequence) % (gpus // copy) or tensor & (tensor - 1):
        return None
    return batch_tokens // sequence * copy // gpus or None


# %% short_pipelines
# Wrong: takes no pipeline above 64.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    copy = tensor * pipeline * context
    if gpus % copy or (batch_tokens // sequence) % (gpus // copy) or pipeline > 64:
        return None
    return batch_tokens // sequence * copy // gpus or None


# %% few_context_ranks
# Wrong: takes at most 16 context ranks.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    copy = tensor * pipeline * context
    if gpus % copy or (batch_tokens // sequence) % (gpus // copy) or context > 16:
        return None
    return batch_tokens // sequence * copy // gpus or None


# %% cuts_the_sequence_evenly
# Right: asks for a sequence that its context ranks can share, which is always so.
def micro_batches_left(*, batch_tokens, sequence, gpus, tensor, pipeline, context):
    if sequence % context:
        return None
    copy = tensor * pipeline * context
    copies, left = divmod(gpus, copy)
    if left or batch_tokens // sequence % copies:
        return None
    return batch_tokens // sequence // copies or None
