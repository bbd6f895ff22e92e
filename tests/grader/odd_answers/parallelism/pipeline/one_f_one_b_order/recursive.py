# Right: calls itself with what is left.
def one_f_one_b_order(stages, micro_batches, stage, forwards=0, backwards=0):
    if backwards == micro_batches:
        return []
    if forwards < micro_batches and forwards - backwards < stages - stage:
        return [("F", forwards), *one_f_one_b_order(stages, micro_batches, stage, forwards + 1, backwards)]
    return [("B", backwards), *one_f_one_b_order(stages, micro_batches, stage, forwards, backwards + 1)]
