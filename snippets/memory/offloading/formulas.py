"""Formulas: state in the host's memory: how long a step takes, what hides, and which bandwidth that needs."""

from __future__ import annotations

from snippets.domain import as_float, positive_integer, positive_number


def offloaded_update_step_s(
    *, layers: int, forward_s: float, backward_s: float, gradients_s: float, update_s: float, new_weights_s: float
) -> float:
    """Return how long a step takes whose optimizer state lies in the host's memory and is updated there.

    Also: ZeRO-Offload
    Formula: $T = L T_\\text{F} + T_\\text{B} + T_\\text{G} + T_\\text{U} + T_\\text{W} + (L - 1)
        \\max(T_\\text{B}, T_\\text{G}, T_\\text{U}, T_\\text{W})$
    Symbols: T = the result; L = layers; T_\\text{F} = forward_s; T_\\text{B} = backward_s; T_\\text{G} = gradients_s;
        T_\\text{U} = update_s; T_\\text{W} = new_weights_s
    Chapter: 24

    Args:
        layers: equal layers of the model.
        forward_s: seconds of a layer's forward pass.
        backward_s: seconds of its backward pass.
        gradients_s: seconds in which its gradient goes down to the host.
        update_s: seconds in which the host updates it.
        new_weights_s: seconds in which its new weights come up.

    Returns:
        Seconds, from the first forward pass until the last new weights have come.

    Source: derived: after the forward passes, equal jobs go through four machines in a row.
    Convention: each layer goes on as soon as its gradient is made; the link's two directions are machines of their own.
    Leaves out: clipping by the global norm; latency; what is outside the layers.

    Example:
        >>> offloaded_update_step_s(
        ...     layers=2, forward_s=1, backward_s=2, gradients_s=1, update_s=3, new_weights_s=1
        ... )
        12.0
    """
    layers, T_F, T_B = positive_integer("layers", layers), *_times(forward_s=forward_s, backward_s=backward_s)
    T_G, T_U, T_W = _times(gradients_s=gradients_s, update_s=update_s, new_weights_s=new_weights_s)
    return as_float(_UPDATE, layers * T_F + T_B + T_G + T_U + T_W + (layers - 1) * max(T_B, T_G, T_U, T_W))


def clipped_update_step_s(
    *, layers: int, forward_s: float, backward_s: float, gradients_s: float, update_s: float, new_weights_s: float
) -> float:
    """Return how long such a step takes if gradients are clipped by their global norm before the update.

    Formula: $T = L T_\\text{F} + T_\\text{B} + T_\\text{G} + (L - 1) \\max(T_\\text{B}, T_\\text{G}) + T_\\text{U}
        + T_\\text{W} + (L - 1) \\max(T_\\text{U}, T_\\text{W})$
    Symbols: T = the result; L = layers; T_\\text{F} = forward_s; T_\\text{B} = backward_s; T_\\text{G} = gradients_s;
        T_\\text{U} = update_s; T_\\text{W} = new_weights_s
    Chapter: 24

    Args:
        layers: equal layers of the model.
        forward_s: seconds of a layer's forward pass.
        backward_s: seconds of its backward pass.
        gradients_s: seconds in which its gradient goes down to the host.
        update_s: seconds in which the host updates it.
        new_weights_s: seconds in which its new weights come up.

    Returns:
        Seconds, from the first forward pass until the last new weights have come.

    Source: derived: no update begins before the last gradient has come, since the norm needs all of them.
    Convention: the norm itself takes no time.
    Leaves out: that the next forward pass could begin before the last new weights have come; latency.

    Example:
        >>> clipped_update_step_s(layers=2, forward_s=1, backward_s=2, gradients_s=1, update_s=3, new_weights_s=1)
        14.0
    """
    layers, T_F, T_B = positive_integer("layers", layers), *_times(forward_s=forward_s, backward_s=backward_s)
    T_G, T_U, T_W = _times(gradients_s=gradients_s, update_s=update_s, new_weights_s=new_weights_s)
    return as_float(
        _UPDATE, layers * T_F + T_B + T_G + (layers - 1) * max(T_B, T_G) + T_U + T_W + (layers - 1) * max(T_U, T_W)
    )


def offloaded_activations_step_s(*, layers: int, forward_s: float, backward_s: float, activations_s: float) -> float:
    """Return how long a step takes whose activations wait in the host's memory, all but the last layer's.

    Formula: $T = T_\\text{F} + (L - 1) \\max(T_\\text{F}, T_\\text{A}) + \\max(T_\\text{A}, T_\\text{B} -
        \\max(0, T_\\text{A} - T_\\text{F})) + (L - 2) \\max(T_\\text{B}, T_\\text{A}) + T_\\text{B}$
    Symbols: T = the result; L = layers; T_\\text{F} = forward_s; T_\\text{B} = backward_s; T_\\text{A} = activations_s
    Chapter: 24

    Args:
        layers: equal layers of the model, at least 2.
        forward_s: seconds of a layer's forward pass.
        backward_s: seconds of its backward pass.
        activations_s: seconds in which a layer's activations go one way.

    Returns:
        Seconds.

    Raises:
        ValueError: there are fewer than 2 layers, or a time is not above 0.

    Source: derived.
    Convention: the device has room for the activations of two layers, and one layer ahead is fetched.
    Leaves out: latency; what is outside the layers.

    Example:
        >>> offloaded_activations_step_s(layers=3, forward_s=1, backward_s=2, activations_s=1)
        9.0
        >>> offloaded_activations_step_s(layers=3, forward_s=1, backward_s=2, activations_s=3)
        15.0
    """
    layers, T_A = positive_integer("layers", layers), positive_number("activations_s", activations_s)
    T_F, T_B = _times(forward_s=forward_s, backward_s=backward_s)
    if layers < 2:
        raise ValueError(f"layers must be an integer of at least 2, got {layers!r}")
    time = T_F + (layers - 1) * max(T_F, T_A) + max(T_A, T_B - max(0, T_A - T_F)) + (layers - 2) * max(T_B, T_A) + T_B
    return as_float("layers, forward_s, backward_s and activations_s", time)


def offload_break_even_tokens(
    *, bytes_per_parameter: float, flops_per_token: float, flops_per_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Return the tokens beside whose computation a transfer of a layer's state is hidden.

    Formula: $x^* = \\frac{w_\\text{lane}\\, uP}{f \\beta}$
    Symbols: x^* = the result; w_\\text{lane} = bytes_per_parameter; f = flops_per_token; uP = flops_per_s;
        \\beta = bandwidth_bytes_per_s
    Chapter: 24

    Args:
        bytes_per_parameter: bytes that one lane moves for each parameter of a layer.
        flops_per_token: operations for each token and parameter that go on meanwhile: 2 in a forward pass, 4 in a
            backward pass.
        flops_per_s: speed of the device.
        bandwidth_bytes_per_s: of that lane.

    Returns:
        Tokens of a micro-batch on the device; with fewer of them the lane is the slower one.

    Source: derived; equation 22-tokens with another lane.
    Convention: bandwidth of one direction, or of the memory that the host's update reads and writes.
    Leaves out: latency; attention's scores, which give more time.

    Example:
        >>> round(offload_break_even_tokens(
        ...     bytes_per_parameter=2, flops_per_token=2, flops_per_s=989.4e12, bandwidth_bytes_per_s=50e9
        ... ))
        19788
    """
    w_lane, f = (
        positive_number("bytes_per_parameter", bytes_per_parameter),
        positive_number("flops_per_token", flops_per_token),
    )
    uP, β = (
        positive_number("flops_per_s", flops_per_s),
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
    )
    arguments = "bytes_per_parameter, flops_per_token, flops_per_s and bandwidth_bytes_per_s"
    return as_float(arguments, w_lane * (uP / (f * β)) if f * β else float("inf"))


def offload_least_bandwidth_bytes_per_s(
    *, bytes_per_parameter: float, flops_per_token: float, flops_per_s: float, tokens: float
) -> float:
    """Return the bandwidth from which on a transfer of a layer's state is hidden beside the computation.

    Formula: $\\beta^* = \\frac{w_\\text{lane}\\, uP}{f x}$
    Symbols: \\beta^* = the result; w_\\text{lane} = bytes_per_parameter; f = flops_per_token; uP = flops_per_s;
        x = the micro-batch's tokens
    Chapter: 24

    Args:
        bytes_per_parameter: as in ``offload_break_even_tokens``.
        flops_per_token: as there.
        flops_per_s: speed of the device.
        tokens: of a micro-batch on the device.

    Returns:
        Bytes a second.

    Source: derived.
    Convention: as ``offload_break_even_tokens``.
    Leaves out: as there.

    Example:
        >>> step = {"bytes_per_parameter": 2, "flops_per_token": 2, "flops_per_s": 70e12}
        >>> offload_least_bandwidth_bytes_per_s(**step, tokens=1024) / 1e9
        68.359375
    """
    w_lane, f = (
        positive_number("bytes_per_parameter", bytes_per_parameter),
        positive_number("flops_per_token", flops_per_token),
    )
    uP, x = positive_number("flops_per_s", flops_per_s), positive_number("tokens", tokens)
    arguments = "bytes_per_parameter, flops_per_token, flops_per_s and tokens"
    return as_float(arguments, w_lane * (uP / (f * x)) if f * x else float("inf"))


def offload_least_hidden_size(
    *, bytes_per_value: float, flops_per_s: float, bandwidth_bytes_per_s: float, flops_per_token: float = 2
) -> float:
    """Return the hidden size from which on a layer's activations go to the host while the next layer computes.

    Formula: $h^* = \\frac{w_\\text{kept}\\, uP}{12 f \\beta}$
    Symbols: h^* = the result; w_\\text{kept} = bytes_per_value; uP = flops_per_s; f = flops_per_token;
        \\beta = bandwidth_bytes_per_s
    Chapter: 24

    Args:
        bytes_per_value: bytes that a layer keeps for each token and each of its h channels: 2 for its input alone in
            16 bits, 34 for all that a GPT layer with flash attention keeps.
        flops_per_s: speed of the device.
        bandwidth_bytes_per_s: of the link, in one direction.
        flops_per_token: operations for each token and parameter that go on meanwhile.

    Returns:
        Channels. The number of tokens does not occur: both times are proportional to it.

    Source: derived from 12h² parameters a layer.
    Convention: as ``offload_break_even_tokens``.
    Leaves out: attention's scores, which give more time, the more the longer a sequence is; other shapes of layers.

    Example:
        >>> round(offload_least_hidden_size(bytes_per_value=2, flops_per_s=494.7e12, bandwidth_bytes_per_s=63e9))
        654
    """
    q, uP = positive_number("bytes_per_value", bytes_per_value), positive_number("flops_per_s", flops_per_s)
    β, f = (
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
        positive_number("flops_per_token", flops_per_token),
    )
    arguments = "bytes_per_value, flops_per_s, bandwidth_bytes_per_s and flops_per_token"
    return as_float(arguments, q * (uP / (12 * f * β)) if f * β else float("inf"))


def parameter_offload_intensity(*, sequence: int, batch: int) -> float:
    """Return the operations for each byte of parameters and gradients that moves: ZeRO-Infinity's intensity.

    Formula: $I = s\\,b$
    Symbols: I = the result; s = sequence; b = batch
    Chapter: 24

    Args:
        sequence: tokens of a sequence.
        batch: sequences on the device.

    Returns:
        Operations a byte.

    Source: Rajbhandari et al. 2021, section 4.1: 8 operations a token and parameter, with recomputation, over 4
        transfers of 2 bytes.
    Convention: a multiply-add is two operations.
    Leaves out: attention's scores.

    Example:
        >>> parameter_offload_intensity(sequence=1024, batch=1)
        1024.0
    """
    s, b = positive_integer("sequence", sequence), positive_integer("batch", batch)
    return float(s * b)


def optimizer_offload_intensity(*, sequence: int, batch: int) -> float:
    """Return the operations for each byte of optimizer state that moves: ZeRO-Infinity's intensity.

    Formula: $I = s\\,b / 4$
    Symbols: I = the result; s = sequence; b = batch
    Chapter: 24

    Args:
        sequence: tokens of a sequence.
        batch: sequences on the device between two updates.

    Returns:
        Operations a byte.

    Source: Rajbhandari et al. 2021, section 4.1: 16 bytes a parameter, float32 gradients among them, read and written.
    Convention: a multiply-add is two operations.
    Leaves out: that an update on the host itself needs no such transfer over the link.

    Example:
        >>> optimizer_offload_intensity(sequence=1024, batch=2)
        512.0
    """
    s, b = positive_integer("sequence", sequence), positive_integer("batch", batch)
    return s * b / 4


def activation_offload_intensity(*, hidden: int, layers_per_checkpoint: int = 1) -> float:
    """Return the operations for each byte of activation checkpoints that moves: ZeRO-Infinity's intensity.

    Formula: $I = 24\\,h\\,q$
    Symbols: I = the result; h = hidden; q = layers_per_checkpoint
    Chapter: 24

    Args:
        hidden: hidden size.
        layers_per_checkpoint: layers between two checkpoints.

    Returns:
        Operations a byte. Neither the batch nor the sequence occurs.

    Source: Rajbhandari et al. 2021, section 4.1.
    Convention: a checkpoint has 2 bytes for each token and channel, written once and read once.
    Leaves out: attention's scores.

    Example:
        >>> activation_offload_intensity(hidden=2048)
        49152.0
    """
    h, q = positive_integer("hidden", hidden), positive_integer("layers_per_checkpoint", layers_per_checkpoint)
    return float(24 * h * q)


def offload_efficiency(*, intensity_flops_per_byte: float, bandwidth_bytes_per_s: float, flops_per_s: float) -> float:
    """Return the share of the time in which a device computes if it waits for every transfer.

    Also: ZeRO-Infinity efficiency
    Formula: $\\varepsilon = \\frac{I \\beta}{I \\beta + uP}$
    Symbols: \\varepsilon = the result; I = intensity_flops_per_byte; \\beta = bandwidth_bytes_per_s; uP = flops_per_s
    Chapter: 24

    Args:
        intensity_flops_per_byte: operations for each byte that moves.
        bandwidth_bytes_per_s: of the transfers.
        flops_per_s: speed that the device reaches without offloading.

    Returns:
        A share.

    Source: Rajbhandari et al. 2021, section 4 (equation of efficiency).
    Convention: computing and moving one after the other. At one half they take equally long.
    Leaves out: overlap.

    Example:
        >>> f"{offload_efficiency(intensity_flops_per_byte=1024, bandwidth_bytes_per_s=70e9, flops_per_s=70e12):.1%}"
        '50.6%'
    """
    intensity = positive_number("intensity_flops_per_byte", intensity_flops_per_byte)
    β, uP = (
        positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s),
        positive_number("flops_per_s", flops_per_s),
    )
    I_β = as_float("intensity_flops_per_byte and bandwidth_bytes_per_s", intensity * β)
    return I_β / (I_β + uP)


_UPDATE = "layers, forward_s, backward_s, gradients_s, update_s and new_weights_s"


def _times(**seconds: float) -> list[float]:
    return [positive_number(name, value) for name, value in seconds.items()]
