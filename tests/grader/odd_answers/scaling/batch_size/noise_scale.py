# %% divides_where_the_signal_is_0
# Wrong: divides where the signal is 0. It passed once.
def noise_scale(*, local_squares, averaged_square, rank_batch):
    n = len(local_squares)
    b, B = rank_batch, rank_batch * n
    m = sum(local_squares) / n
    G = (B * averaged_square - b * m) / (B - b)
    N = (m - averaged_square) / (1 / b - 1 / B)
    return N / G if G >= 0 else None

# %% numpy_numbers_and_another_route_to_the_s
# Right: NumPy numbers, and another route to the same ratio.
import numpy as np


def noise_scale(*, local_squares, averaged_square, rank_batch):
    n = len(local_squares)
    b = rank_batch
    m = np.mean(local_squares)
    A = averaged_square
    G = (n * A - m) / (n - 1)
    return np.float64(b * n * (m - A) / (n - 1) / G) if G > 0 else None
