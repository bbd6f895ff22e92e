"""Formulas: the sizes of what one training step of a GPT allocates, and the most that it holds at one time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from snippets.domain import flag, nonnegative_integer, positive_integer
from snippets.memory.memory_equation.activations import StoredTensor, logits_bytes, stored_tensors
from snippets.memory.zero.formulas import zero_buffer_bytes, zero_state_bytes
from snippets.recipes import RECIPES, Recipe, StateBytes


@dataclass(frozen=True)
class StepSizes:
    """Bytes of everything that a step of a GPT allocates, on one device.

    Attributes:
        layers: transformer layers.
        layer_parameters: parameters of one layer.
        outside_parameters: embeddings and the last norm; the output head is the token table.
        recipe: bytes of model state for one parameter.
        kept: tensors of one layer, as (name, bytes), that stay from its forward to its backward pass.
        rebuilt_bytes: what recomputation makes again for a layer's backward pass.
        working_bytes: the gradient of the layer's largest tensor, which lives while the layer's backward pass runs.
        embedding_bytes: the mask of the embedding's dropout.
        head: tensors that the head and the loss keep, as (name, bytes).
        logits_gradient_bytes: gradient of the logits.
        stream_bytes: gradient of the residual stream.

    >>> sizes = gpt_step_sizes(layers=2, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1)
    >>> sizes.parameters, sizes.layer_bytes, sizes.head_bytes
    (536, 1728, 448)
    """

    layers: int
    layer_parameters: int
    outside_parameters: int
    recipe: Recipe
    kept: tuple[tuple[str, int], ...]
    rebuilt_bytes: int
    working_bytes: int
    embedding_bytes: int
    head: tuple[tuple[str, int], ...]
    logits_gradient_bytes: int
    stream_bytes: int

    @property
    def parameters(self) -> int:
        """Parameters of the model.

        >>> gpt_step_sizes(layers=1, hidden=2, heads=1, vocabulary=3, sequence=1, micro_batch=1).parameters
        84
        """
        return self.layers * self.layer_parameters + self.outside_parameters

    @property
    def layer_bytes(self) -> int:
        """Bytes that one layer keeps.

        >>> gpt_step_sizes(layers=1, hidden=2, heads=1, vocabulary=3, sequence=1, micro_batch=1).layer_bytes
        73
        """
        return sum(size for _, size in self.kept)

    @property
    def head_bytes(self) -> int:
        """Bytes that the head and the loss keep.

        >>> gpt_step_sizes(layers=1, hidden=2, heads=1, vocabulary=3, sequence=1, micro_batch=1).head_bytes
        20
        """
        return sum(size for _, size in self.head)


def gpt_step_sizes(
    *,
    layers: int,
    hidden: int,
    heads: int,
    vocabulary: int,
    sequence: int,
    micro_batch: int,
    positions: int = 0,
    recipe: Recipe | str = "mixed-adam",
    attention: str = "standard",
    recomputation: str = "none",
) -> StepSizes:
    """Return the bytes of everything that a step of a GPT allocates, on one device that shares nothing.

    Formula: $N = L\\,(12h^2 + 13h) + (V + V_\\text{pos} + 2)\\,h$
    Symbols: N = parameters; L = layers; h = hidden; V = vocabulary; V_\\text{pos} = positions
    Chapter: 21

    Args:
        layers: transformer layers.
        hidden: width of the residual stream.
        heads: attention heads.
        vocabulary: rows of the token table, which is the output head too.
        sequence: tokens of one sequence.
        micro_batch: sequences of one micro-batch.
        positions: rows of a learned position table.
        recipe: a name in ``RECIPES``, or a ``Recipe`` of your own.
        attention: ``"standard"`` or ``"flash"``, as in ``stored_tensors``.
        recomputation: ``"none"``, ``"selective"`` or ``"full"``, as there.

    Returns:
        The sizes. Activations are those of Korthikanti et al. 2022; the logits are in fp32.

    Source: Korthikanti et al. 2022, sections 4.1 and 4.3, for what is kept; derived for the rest.
    Convention: bytes; 2-byte values, 1-byte masks. The head keeps the last norm's input and output and the logits.
    Leaves out: temporaries of the forward pass, workspaces of libraries, all but one of a layer's gradients of
        activations.

    Example:
        >>> sizes = gpt_step_sizes(
        ...     layers=48, hidden=1600, heads=25, vocabulary=50257, positions=1024, sequence=1024, micro_batch=1
        ... )
        >>> sizes.parameters, sizes.layer_bytes
        (1557611200, 186777600)
    """

    def tensors(recomputation: str) -> tuple[StoredTensor, ...]:
        return stored_tensors(
            sequence=sequence,
            micro_batch=micro_batch,
            hidden=hidden,
            heads=heads,
            attention=attention,
            recomputation=recomputation,
        )

    sequence, micro_batch = positive_integer("sequence", sequence), positive_integer("micro_batch", micro_batch)
    hidden = positive_integer("hidden", hidden)
    kept, whole = tensors(recomputation), tensors("none")
    table = positive_integer("vocabulary", vocabulary) + nonnegative_integer("positions", positions)
    values = sequence * micro_batch * hidden
    logits = logits_bytes(sequence=sequence, micro_batch=micro_batch, vocabulary=vocabulary, element_bytes=4)
    return StepSizes(
        layers=positive_integer("layers", layers),
        layer_parameters=12 * hidden**2 + 13 * hidden,
        outside_parameters=(table + 2) * hidden,
        recipe=RECIPES.find(recipe),
        kept=tuple((tensor.name, tensor.bytes) for tensor in kept),
        rebuilt_bytes=sum(tensor.bytes for tensor in whole) - sum(tensor.bytes for tensor in kept),
        working_bytes=max(tensor.bytes for tensor in whole),
        embedding_bytes=values,
        head=(("last norm's input", 2 * values), ("head's input", 2 * values), ("logits", logits)),
        logits_gradient_bytes=logits,
        stream_bytes=2 * values,
    )


def step_peak_parts(
    sizes: StepSizes,
    *,
    keep_gradients: bool = False,
    first_step: bool = False,
    update_bytes_per_parameter: int = 0,
    ranks: int = 1,
    stage: int = 0,
) -> dict[str, dict[str, int]]:
    """Return the bytes of each kind held at each moment of a step at which the peak can fall.

    Formula: $M_\\text{loss} = M_0 + LA + A_1 + A_2 + A_3 + M_1 + M_2,\\quad M_j = M_0 + M_1 + j\\,M_3 + (L - j + 1)\\,A
        + A_1 + A_4 + M_4,\\quad M_\\text{step} = M_0 + M_5 + M_6$
    Symbols: M_0 = what stays; L = layers; A = layer_bytes; A_1 = embedding_bytes; A_2 = head_bytes; A_3 = the gradients
        of the logits and of the residual stream; A_4 = rebuilt, working and stream bytes; M_1, M_3 = gradients of what
        is outside the layers and of one layer; j = layers whose backward pass has begun; M_2, M_4 = ZeRO's buffers for
        what is outside the layers and for a layer; M_5 = all gradients; M_6 = what the update makes
    Chapter: 22

    Args:
        sizes: of the step.
        keep_gradients: whether buffers for all gradients exist throughout (a later micro-batch of an accumulation, or
            a framework that never frees them), or each is made in the backward pass and freed after the update.
        first_step: whether Adam's moments are made by this step's update, as PyTorch does.
        update_bytes_per_parameter: temporaries of the update, for each parameter that the rank updates.
        ranks: ranks of the data-parallel group; each layer, and what is outside the layers, is a unit of its own.
        stage: ZeRO's stage, 0 to 3.

    Returns:
        Bytes on rank 0 at ``"loss"``, ``"first backward"`` (the last layer's, j = 1), ``"last backward"`` (j = L) and
        ``"step"``, for each of the kinds ``parameters``, ``gradients``, ``optimizer``, ``activations``, ``temporary``.
        In between, M_j is linear in j, so no other moment holds more.

    Source: derived; the state as ``zero_state_bytes``, the buffers as ``zero_buffer_bytes``.
    Convention: while a task runs, what it reads and what it makes are both held.
    Leaves out: what ``StepSizes`` leaves out; fragmentation; units that are gathered ahead.

    Example:
        >>> sizes = gpt_step_sizes(layers=2, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1)
        >>> step_peak_parts(sizes, ranks=4, stage=1)["step"]
        {'parameters': 1072, 'gradients': 1072, 'optimizer': 1608, 'activations': 0, 'temporary': 0}
    """
    check_sizes(sizes)
    keep_gradients, first_step = flag("keep_gradients", keep_gradients), flag("first_step", first_step)
    extra = nonnegative_integer("update_bytes_per_parameter", update_bytes_per_parameter)
    layers, units = sizes.layers, (sizes.outside_parameters, sizes.layer_parameters)

    def held(recipe: Recipe) -> tuple[StateBytes, StateBytes]:
        outside, layer = (zero_state_bytes(unit, ranks=ranks, stage=stage, recipe=recipe) for unit in units)
        return outside, layer

    def buffers(unit: int) -> int:
        return zero_buffer_bytes(unit, largest_unit=unit, ranks=ranks, stage=stage, recipe=sizes.recipe)

    def parts(made: int, optimizer: int, activations: int, temporary: int) -> dict[str, int]:
        """Return the kinds once ``made`` of the layers have gradients."""
        made = layers if keep_gradients else made
        return {
            "parameters": outside.parameters + layers * layer.parameters,
            "gradients": outside.gradients + made * layer.gradients,
            "optimizer": optimizer,
            "activations": activations,
            "temporary": temporary,
        }

    outside, layer = held(sizes.recipe)
    update = replace(sizes.recipe, master=extra, first_moment=0, second_moment=0)
    moments = replace(sizes.recipe, master=0)
    all_state, made_by_update, update_bytes = (
        first.optimizer + layers * second.optimizer for first, second in map(held, (sizes.recipe, moments, update))
    )
    before = all_state - first_step * made_by_update
    embedding, kept = sizes.embedding_bytes, sizes.layer_bytes
    at_loss = sizes.logits_gradient_bytes + sizes.stream_bytes + buffers(units[0])
    at_layer = sizes.working_bytes + sizes.stream_bytes + buffers(units[1])
    return {
        "loss": parts(0, before, embedding + layers * kept + sizes.head_bytes, at_loss),
        "first backward": parts(1, before, embedding + layers * kept + sizes.rebuilt_bytes, at_layer),
        "last backward": parts(layers, before, embedding + kept + sizes.rebuilt_bytes, at_layer),
        "step": parts(layers, all_state, 0, update_bytes),
    }


def step_peak_candidates(
    sizes: StepSizes,
    *,
    keep_gradients: bool = False,
    first_step: bool = False,
    update_bytes_per_parameter: int = 0,
) -> dict[str, int]:
    """Return the bytes held at each moment of a step at which the peak can fall, on one device that shares nothing.

    Formula: $M_\\text{loss} = M_0 + LA + A_1 + A_2 + A_3 + M_1,\\quad M_j = M_0 + M_1 + j\\,M_3 + (L - j + 1)\\,A
        + A_1 + A_4,\\quad M_\\text{step} = M_0 + M_5 + M_6$
    Symbols: as in step_peak_parts, whose M_2 and M_4 are 0 here
    Chapter: 21

    Args:
        sizes: of the step.
        keep_gradients: as in ``step_peak_parts``.
        first_step: as there.
        update_bytes_per_parameter: as there.

    Returns:
        Bytes at ``"loss"``, ``"first backward"`` (the last layer's, j = 1), ``"last backward"`` (j = L), ``"step"``.
        In between, M_j is linear in j, so no other moment holds more.

    Source: derived.
    Convention: while a task runs, what it reads and what it makes are both held.
    Leaves out: what ``StepSizes`` leaves out; fragmentation.

    Example:
        >>> sizes = gpt_step_sizes(layers=2, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1)
        >>> step_peak_candidates(sizes)
        {'loss': 11920, 'first backward': 11896, 'last backward': 10656, 'step': 8576}
    """
    moments = step_peak_parts(
        sizes,
        keep_gradients=keep_gradients,
        first_step=first_step,
        update_bytes_per_parameter=update_bytes_per_parameter,
    )
    return {moment: sum(kinds.values()) for moment, kinds in moments.items()}


def check_sizes(sizes: StepSizes) -> None:
    """Raise ``TypeError`` unless a step's sizes are what ``gpt_step_sizes`` returns.

    Args:
        sizes: what to check.

    Raises:
        TypeError: if ``sizes`` is no ``StepSizes``.

    Convention: sizes of one device.
    Leaves out: whether the numbers fit each other.

    Example:
        >>> check_sizes(gpt_step_sizes(layers=2, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1))
    """
    if not isinstance(sizes, StepSizes):
        raise TypeError(f"sizes must be a StepSizes, got {sizes!r}")


def step_peak_bytes(
    sizes: StepSizes,
    *,
    keep_gradients: bool = False,
    first_step: bool = False,
    update_bytes_per_parameter: int = 0,
) -> int:
    """Return the most bytes that a step holds at one time.

    Formula: $M = \\max(M_\\text{loss}, M_{j=1}, M_{j=L}, M_\\text{step})$
    Symbols: as in step_peak_candidates
    Chapter: 21

    Args:
        sizes: of the step.
        keep_gradients: as in ``step_peak_candidates``.
        first_step: as there.
        update_bytes_per_parameter: as there.

    Returns:
        Bytes, exact.

    Source: derived.
    Convention: as in ``step_peak_candidates``.
    Leaves out: as there.

    Example:
        >>> step_peak_bytes(gpt_step_sizes(layers=2, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=1))
        11920
    """
    return max(
        step_peak_candidates(
            sizes,
            keep_gradients=keep_gradients,
            first_step=first_step,
            update_bytes_per_parameter=update_bytes_per_parameter,
        ).values()
    )
