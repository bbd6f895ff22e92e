# Wrong: sorts the list that it was given; and the layers of a model have an order.
# Message: layer_s is changed: work on a copy
def cut_layers(layer_s, *, stages):
    layer_s.sort()
    return [1] * (stages - 1) + [len(layer_s) - stages + 1]
