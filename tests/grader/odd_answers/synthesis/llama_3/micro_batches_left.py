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
