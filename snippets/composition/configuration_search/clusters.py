"""Formulas: a cluster to plan for: nodes of one kind, and how many of their GPUs links join fast."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.composition.step_constants import Constants, device_constants
from snippets.domain import Answers, at_most, of_kind, positive_integer
from snippets.hardware import NODES, Node

MOST_GPUS = 2**20
_RACK, _RACK_USED = 72, 64  # axes of powers of two fill 64 GPUs of a rack


@dataclass(frozen=True)
class Cluster(Answers):
    """Equal nodes.

    Attributes:
        node: a name in ``NODES``, or a node of your own.
        nodes: how many.
        domain: GPUs inside which links are fast; by default a node's, of a rack of 72 the 64 that a run uses.

    Raises:
        ValueError: if a count is no integer of at least 1, there are more than 1,048,576 GPUs, or the domain is larger
            than a node.

    >>> Cluster("DGX H100", nodes=32).gpus
    256
    >>> Cluster("GB200 NVL72", nodes=4).gpus
    256
    """

    node: Node | str
    nodes: int
    domain: int | None = None

    def __post_init__(self) -> None:
        found = NODES.find(self.node)
        object.__setattr__(self, "node", of_kind("node", found, Node))
        object.__setattr__(self, "nodes", positive_integer("nodes", self.nodes))
        used = _RACK_USED if found.accelerators == _RACK else found.accelerators
        domain = positive_integer("domain", used if self.domain is None else self.domain)
        object.__setattr__(self, "domain", domain)
        if domain > found.accelerators:
            raise ValueError(f"domain must be at most the node's {found.accelerators} GPUs, got {domain}")
        at_most("nodes × GPUs of a node", self.gpus, MOST_GPUS)

    @property
    def machine(self) -> Node:
        """One node.

        >>> Cluster("DGX H100", nodes=32).machine.accelerators
        8
        """
        return NODES.find(self.node)

    @property
    def gpus(self) -> int:
        """R, GPUs that a run uses: of a rack of 72 the 64 that axes in powers of two can fill.

        >>> Cluster("DGX A100", nodes=2).gpus
        16
        """
        each = self.machine.accelerators
        return self.nodes * (_RACK_USED if each == _RACK else each)

    @property
    def fast_gpus(self) -> int:
        """GPUs inside which links are fast.

        >>> Cluster("GB200 NVL72", nodes=2).fast_gpus
        64
        """
        return positive_integer("domain", self.domain)

    @property
    def memory_bytes(self) -> int:
        """Memory of one GPU.

        >>> Cluster("DGX A100", nodes=2).memory_bytes
        80000000000
        """
        return self.machine.accelerator.memory_bytes


def cluster_constants(cluster: Cluster, dtype: str = "bf16") -> Constants:
    """Return what a plan assumes of a cluster's GPUs and links in a number format, unless it is told.

    Args:
        cluster: the GPUs.
        dtype: of the weights' matmuls.

    Returns:
        Constants, with their source.

    Source: ``device_constants``.
    Convention: as there.
    Leaves out: as there.

    Example:
        >>> round(cluster_constants(Cluster("DGX H100", nodes=32)).matmul_share, 2)
        0.8
    """
    return device_constants(of_kind("cluster", cluster, Cluster).machine.accelerator, dtype)
