# Right: a generator.
def one_f_one_b_order(*, stages, micro_batches, stage):
    done = 0
    for i in range(micro_batches):
        yield "F", i
        if i >= stages - 1 - stage:
            yield "B", done
            done += 1
    while done < micro_batches:
        yield "B", done
        done += 1
