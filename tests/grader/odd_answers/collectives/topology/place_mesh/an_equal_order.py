# Right: an equal order.
from itertools import permutations

from snippets.collectives.topology.link_network import Cluster
from snippets.collectives.topology.programs import placement_times_s


def place_mesh(*, nodes, gpus_per_node, ports_per_node, node_bytes_per_s, port_bytes_per_s, sides, sizes_bytes):
    cluster = Cluster(nodes, gpus_per_node, node_bytes_per_s, port_bytes_per_s, ports_per_node)
    orders = list(permutations(range(len(sides))))[::-1]
    return list(
        min(orders, key=lambda o: round(sum(placement_times_s(cluster, sides=sides, sizes_bytes=sizes_bytes, order=o)), 9))
    )
