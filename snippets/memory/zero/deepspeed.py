"""Formulas: DeepSpeed's own estimates of model-state memory, as its source computes them.

DeepSpeed prints "GB" for what is GiB (2³⁰ bytes); these functions return bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from snippets.domain import as_float, flag, positive_integer, positive_number


@dataclass(frozen=True)
class Estimate:
    """Bytes of host memory for a whole node, and of device memory for one GPU.

    >>> Estimate(cpu_bytes=2**30, gpu_bytes=2**31).gpu_bytes // 2**30
    2
    """

    cpu_bytes: int
    gpu_bytes: int


def deepspeed_zero2_estimate(
    parameters: int | float,
    *,
    devices_per_node: int = 1,
    nodes: int = 1,
    offload_optimizer: bool = True,
    buffer_factor: float = 1.5,
) -> Estimate:
    """Return DeepSpeed's estimate for ZeRO stage 2.

    Formula: $M_\\text{gpu} = 2 N + \\frac{18 N}{R}$
    Symbols: M_\\text{gpu} = gpu_bytes of the result; N = parameters; R = all devices, devices_per_node × nodes.
        With the optimizer on the host the second term is 0
    Chapter: 22

    Args:
        parameters: parameters of the model; ``3e9`` is taken for 3,000,000,000.
        devices_per_node: GPUs of one node.
        nodes: nodes.
        offload_optimizer: whether the optimizer's state lies in host memory.
        buffer_factor: by how much the host's estimate is raised.

    Returns:
        Bytes of host memory (a node) and of device memory (one GPU), rounded down as DeepSpeed does.

    Source: DeepSpeed, deepspeed/runtime/zero/stage_1_and_2.py, ``estimate_zero2_model_states_mem_needs``. Older
        releases and docs/code-docs/source/memory.rst have 4N + 16N/R.
    Convention: 18 = 2 (16-bit gradients) + 4 (fp32 gradients) + 4 (master copy) + 8 (Adam's moments).
    Leaves out: activations and buffers on the GPU.

    Example:
        >>> round(deepspeed_zero2_estimate(2851e6, devices_per_node=8, offload_optimizer=False).gpu_bytes / 2**30, 2)
        11.28
    """
    count, gpus = positive_integer("parameters", parameters), positive_integer("devices_per_node", devices_per_node)
    ranks = gpus * positive_integer("nodes", nodes)
    if flag("offload_optimizer", offload_optimizer):
        return Estimate(_raised(count * max(4 * ranks, 16), buffer_factor), 2 * count)
    return Estimate(_raised(count * 4 * gpus, buffer_factor), 2 * count + 18 * count // ranks)


def deepspeed_zero3_estimate(
    parameters: int | float,
    *,
    largest_layer: int | float,
    devices_per_node: int = 1,
    nodes: int = 1,
    offload_optimizer: bool = True,
    offload_parameters: bool = True,
    sharded_init: bool = True,
    buffer_factor: float = 1.5,
) -> Estimate:
    """Return DeepSpeed's estimate for ZeRO stage 3.

    Formula: $M_\\text{gpu} = 4 N_\\text{layer} + \\frac{q N}{R}$
    Symbols: M_\\text{gpu} = gpu_bytes of the result; N_\\text{layer} = largest_layer; N = parameters;
        R = all devices, devices_per_node × nodes; q = 18, or 2 with the optimizer on the host, or 0 with the
        parameters there too
    Chapter: 22

    Args:
        parameters: parameters of the model; ``3e9`` is taken for 3,000,000,000.
        largest_layer: parameters of the largest layer, gathered whole.
        devices_per_node: GPUs of one node.
        nodes: nodes.
        offload_optimizer: whether the optimizer's state lies in host memory.
        offload_parameters: whether the parameters do too; without the optimizer it has no effect.
        sharded_init: whether the model is built in shards (``zero.Init``) or whole in each process first.
        buffer_factor: by how much the host's estimate is raised.

    Returns:
        Bytes of host memory (a node) and of device memory (one GPU), rounded down as DeepSpeed does.

    Source: DeepSpeed, deepspeed/runtime/zero/stage3.py, ``estimate_zero3_model_states_mem_needs``.
    Convention: 18 as in stage 2, without the 2 of the parameters: 2 + 4 + 4 + 8.
    Leaves out: activations and buffers on the GPU; the 2 bytes of the sharded parameters themselves.

    Example:
        >>> estimate = deepspeed_zero3_estimate(2851e6, largest_layer=32e6, devices_per_node=8)
        >>> round(estimate.cpu_bytes / 2**30, 2), round(estimate.gpu_bytes / 2**30, 2)
        (71.69, 0.12)
    """
    count, layer = positive_integer("parameters", parameters), positive_integer("largest_layer", largest_layer)
    gpus, nodes = positive_integer("devices_per_node", devices_per_node), positive_integer("nodes", nodes)
    sharded, on_host = flag("sharded_init", sharded_init), flag("offload_optimizer", offload_optimizer)
    parameters_on_host = flag("offload_parameters", offload_parameters)
    if layer > count:
        raise ValueError(f"largest_layer must be at most parameters = {count}, got {largest_layer!r}")
    if not on_host:
        host = (layer if sharded else count) * 4 * gpus
        return Estimate(_raised(host, buffer_factor), 4 * layer + 18 * count // (gpus * nodes))
    each = Fraction(18 if parameters_on_host else 16, nodes)
    host_bytes = count * (each if sharded else max(Fraction(4 * gpus), each))
    shard = 0 if parameters_on_host else 2 * count // (gpus * nodes)
    return Estimate(_raised(host_bytes, buffer_factor), 4 * layer + shard)


def _raised(size_bytes: Fraction | int, factor: float) -> int:
    raised = size_bytes * Fraction(positive_number("buffer_factor", factor))
    as_float("parameters, devices_per_node and buffer_factor", Fraction(raised))
    return int(raised)
