# Right: one of NumPy's floats, and another way to count.
import numpy as np


def loss_floor_nats(text, *, context):
    followers = {}
    for at in range(context, len(text)):
        followers.setdefault(tuple(text[at - context : at]), []).append(text[at])
    loss = 0.0
    for after in followers.values():
        _, counts = np.unique(after, return_counts=True)
        loss -= (counts * np.log(counts / len(after))).sum()
    return loss / (len(text) - context)
