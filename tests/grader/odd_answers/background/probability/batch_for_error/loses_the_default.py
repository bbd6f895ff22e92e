# Wrong: a signature with other names.
# Message: TypeError
from math import ceil


def batch_for_error(sigma_squared, e, m=None):
    return ceil(sigma_squared / e**2)
