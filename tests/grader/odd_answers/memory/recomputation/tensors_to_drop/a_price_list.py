# Wrong: the tensors, not their names.
def tensors_to_drop(*, sizes, prices, memory_bytes):
    return [p for p in prices if p.flops == 0]
