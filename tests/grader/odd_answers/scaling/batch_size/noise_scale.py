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

# %% no_look_at_the_sign
# Wrong: divides whatever the signal is.
# Known mistake: The estimate of the full gradient's squared norm can be 0 or less; such a step says nothing: None.
def noise_scale(*, local_squares, averaged_square, rank_batch):
    n, m = len(local_squares), sum(local_squares) / len(local_squares)
    G = (n * averaged_square - m) / (n - 1)
    N = rank_batch * n * (m - averaged_square) / (n - 1)
    return N / G

# %% averaged_square_but_none
# Wrong: divides by the averaged square, None where there is no signal.
# Known mistake: You divided by the squared norm of the averaged gradient. It still has the big batch's noise in it.
def noise_scale(*, local_squares, averaged_square, rank_batch):
    n, m = len(local_squares), sum(local_squares) / len(local_squares)
    G = (n * averaged_square - m) / (n - 1)
    N = rank_batch * n * (m - averaged_square) / (n - 1)
    return None if G <= 0 else N / averaged_square

# %% nothing_is_zero
# Wrong: 0 for None.
# Known mistake: Where the estimate of the full gradient's squared norm is 0 or less, the answer is None. A noise scale of 0 would say that there is no noise.
def noise_scale(*, local_squares, averaged_square, rank_batch):
    n, m = len(local_squares), sum(local_squares) / len(local_squares)
    G = (n * averaged_square - m) / (n - 1)
    N = rank_batch * n * (m - averaged_square) / (n - 1)
    return N / G if G > 0 else 0
