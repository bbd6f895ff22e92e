# Wrong: equal segments, one level.
def fewest_runs(*, layers, checkpoints):
    segment = -(-layers // checkpoints)
    runs = 0
    for start in range(0, layers, segment):
        n = min(segment, layers - start)
        runs += n * (n + 1) // 2 + (n if start + n < layers else 0)
    return runs
