"""What an engine sends and holds, noted where every operation passes: in PyTorch's dispatcher."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

GATHER, SCATTER, REDUCE, BROADCAST = "_allgather_base_", "_reduce_scatter_base_", "allreduce_", "broadcast_"
PASSES = {GATHER: 1, SCATTER: 1, REDUCE: 2, BROADCAST: 1}


def local(tensor: Any) -> torch.Tensor:
    """Return what this rank holds of a tensor."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def tensors_in(tree: Any) -> list[torch.Tensor]:
    """Return the tensors among an operation's arguments or results."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


class Account(TorchDispatchMode):
    """Notes every collective (kind, largest tensor's elements, bytes beside the smallest) and the most bytes alive."""

    def __init__(self, held: list[torch.Tensor]) -> None:
        super().__init__()
        self.calls: list[tuple[str, int, int]] = []
        self.alive: Any = WeakIdKeyDictionary()
        self.peak_bytes = 0
        self.see(held)

    def see(self, tree: Any) -> None:
        for tensor in tensors_in(tree):
            self.alive[tensor.untyped_storage()] = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if DTensor in types:
            return NotImplemented  # comes back as operations on local tensors
        if func.namespace == "c10d":
            kind = func._schema.name.split("::")[1]
            tensors = sorted(tensors_in(args), key=torch.numel)
            self.calls.append((kind, tensors[-1].numel(), tensors[-1].nbytes - tensors[0].nbytes))
        result = func(*args, **(kwargs or {}))
        self.see((args, kwargs, result))
        self.peak_bytes = max(self.peak_bytes, sum(storage.nbytes() for storage in self.alive))
        return result

    @property
    def elements(self) -> int:
        return sum(PASSES[kind] * elements for kind, elements, _ in self.calls)

    def of(self, kind: str) -> list[int]:
        return [elements for name, elements, _ in self.calls if name == kind]
