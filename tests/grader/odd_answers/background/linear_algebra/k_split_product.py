# %% a_tuple_of_parts
# Right: a tuple where a list is asked.
import numpy as np


def k_split_product(a, b, parts):
    return tuple(x @ y for x, y in zip(np.array_split(a, parts, axis=1), np.array_split(b, parts)))

# %% nested_lists
# Right: lists of rows where arrays are asked.
def k_split_product(a, b, parts):
    k = a.shape[1]
    whole, longer = divmod(k, parts)
    ends = [p * whole + min(p, longer) for p in range(parts + 1)]
    rows, columns = range(a.shape[0]), range(b.shape[1])
    return [
        [[sum(a[i, x] * b[x, j] for x in range(start, stop)) for j in columns] for i in rows]
        for start, stop in zip(ends, ends[1:])
    ]

# %% one_array_of_three_dimensions
# Right: the parts stand one above the other in one array.
import numpy as np


def k_split_product(a, b, parts):
    return np.stack([x @ y for x, y in zip(np.array_split(a, parts, axis=1), np.array_split(b, parts))])

# %% parts_that_are_yielded
# Right: a generator where a list is asked.
import numpy as np


def k_split_product(a, b, parts):
    for columns, rows in zip(np.array_split(a, parts, axis=1), np.array_split(b, parts)):
        yield columns @ rows
