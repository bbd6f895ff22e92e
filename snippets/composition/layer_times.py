"""Formulas: how long one rank computes on a layer: its matmuls by their shapes, and what only moves bytes."""

from __future__ import annotations

from typing import NamedTuple

from snippets.composition.layouts import Layout
from snippets.composition.step_constants import Constants
from snippets.domain import as_float, named, nonnegative_number, of_kind, positive_integer, positive_number
from snippets.flops import attention_pairs
from snippets.hardware import Node, dense_peak_flops_per_s, wide_peak_flops_per_s
from snippets.models import MODELS, LatentAttention, Transformer
from snippets.parallelism.sequence.formulas import attention_flops
from snippets.parallelism.tensor.formulas import key_value_heads_per_rank

ATTENTIONS = ("standard", "flash")


class Product(NamedTuple):
    """Equal matmuls: rows × inner times inner × columns, ``number`` of them.

    >>> Product(2, 3, 4, 5).flops, Product(2, 3, 4, 5).values
    (240, 130)
    """

    rows: float
    inner: float
    columns: float
    number: float = 1

    @property
    def flops(self) -> float:
        """FLOP of all of them.

        >>> Product(2, 3, 4).flops
        48
        """
        return 2 * self.rows * self.inner * self.columns * self.number

    @property
    def values(self) -> float:
        """Numbers of the two factors and the result, of all of them.

        >>> Product(2, 3, 4).values
        26
        """
        return (self.rows * self.inner + self.inner * self.columns + self.rows * self.columns) * self.number


class LayerProducts(NamedTuple):
    """The matmuls of one layer's weights on one rank, by the two matrices of each block.

    >>> LayerProducts((Product(1, 2, 3),), (), (), ()).flops
    12
    """

    attention_in: tuple[Product, ...]
    attention_out: tuple[Product, ...]
    feed_in: tuple[Product, ...]
    feed_out: tuple[Product, ...]

    @property
    def flops(self) -> float:
        """FLOP of all of them, forward.

        >>> LayerProducts((), (Product(1, 2, 3),), (), ()).flops
        12
        """
        return sum(product.flops for block in self for product in block)


def matmul_time_s(product: Product, *, flops_per_s: float, memory_bytes_per_s: float, element_bytes: int = 2) -> float:
    """Return how long a matmul takes by its shape: its FLOPs at full rate, and its bytes after them.

    Small or narrow matmuls are slower by themselves: their bytes shrink more slowly than their FLOPs.

    Formula: $\\frac{2xyz}{uP} + \\frac{w\\,(xy + yz + xz)}{\\beta_\\text{mem}}$
    Symbols: x, y, z = rows, inner and columns of the product; uP = flops_per_s; w = element_bytes;
        \\beta_\\text{mem} = memory_bytes_per_s
    Chapter: 26

    Args:
        product: the matmul, or equal ones; sides and number at least 0.
        flops_per_s: what large matmuls reach.
        memory_bytes_per_s: what the memory carries.
        element_bytes: bytes of a number.

    Returns:
        Seconds.

    Source: derived in this book; a sum where a roofline takes the larger, since the pieces of one matmul wait in turn.
    Convention: each factor is read once, the result is written once.
    Leaves out: tiles that do not divide the sides; launching.

    Example:
        >>> round(1e6 * matmul_time_s(Product(4096, 8192, 8192), flops_per_s=6e14, memory_bytes_per_s=3e12))
        1006
    """
    rate, memory = (
        positive_number("flops_per_s", flops_per_s),
        positive_number("memory_bytes_per_s", memory_bytes_per_s),
    )
    for side, value in of_kind("product", product, Product)._asdict().items():
        nonnegative_number(f"product.{side}", value)
    seconds = product.flops / rate + positive_integer("element_bytes", element_bytes) * product.values / memory
    return as_float("flops_per_s and memory_bytes_per_s", seconds)


def layer_products(model: Transformer, *, tokens: int, layout: Layout) -> LayerProducts:
    """Return the matmuls of one layer's weights on one rank, forward; where layers differ, a mean one's.

    Formula: $\\text{FLOPs} = 2 x N_\\text{layer} / t$
    Symbols: x = the micro-batch's tokens on a rank; N_\\text{layer} = the weights of a layer that one token meets; t =
        the layout's tensor
    Chapter: 26

    Args:
        model: the model.
        tokens: x, of a micro-batch on one rank's share of the sequence: s·b/c.
        layout: the layout.

    Returns:
        The matmuls.

    Source: the model's own matrices; Shoeybi et al. 2019 for the cut.
    Convention: heads and inner widths are cut among the tensor ranks; queries, keys and values are one product, as are
        the two inputs of a gated block. Experts have equally many tokens.
    Leaves out: the output head.

    Example:
        >>> from snippets.models import MODELS
        >>> layer_products(MODELS["Llama 3 70B"], tokens=8192, layout=Layout(tensor=8)).attention_in
        (Product(rows=8192, inner=8192, columns=1280.0, number=1),)
    """
    x, model = positive_integer("tokens", tokens), MODELS.find(model)
    of_kind("layout", layout, Layout)
    attention_in, attention_out = _attention_products(model, x, layout)
    feed_in: list[Product] = []
    feed_out: list[Product] = []
    dense, mixture = model.feed_forward, model.experts
    share = model.expert_layers / model.layers
    if dense is not None:
        width = dense.width / layout.tensor
        feed_in.append(Product(x, model.hidden, (1 + dense.gated) * width, 1 - share))
        feed_out.append(Product(x, width, model.hidden, 1 - share))
    if mixture is not None:
        local, inner = mixture.experts / layout.expert, mixture.width / layout.expert_tensor
        rows = x * mixture.per_token * layout.expert_tensor / layout.tensor / local
        feed_in.append(Product(x, model.hidden, mixture.experts / layout.tensor, share))
        feed_in.append(Product(rows, model.hidden, (1 + mixture.gated) * inner, local * share))
        feed_out.append(Product(rows, inner, model.hidden, local * share))
        if mixture.shared:
            width = mixture.shared * mixture.width / layout.tensor
            feed_in.append(Product(x, model.hidden, (1 + mixture.gated) * width, share))
            feed_out.append(Product(x, width, model.hidden, share))
    return LayerProducts(attention_in, attention_out, tuple(feed_in), tuple(feed_out))


def _attention_products(
    model: Transformer, tokens: int, layout: Layout
) -> tuple[tuple[Product, ...], tuple[Product, ...]]:
    attention, h, t = model.attention, model.hidden, layout.tensor
    if isinstance(attention, LatentAttention):
        width = attention.head_size + attention.rotary_size
        down = attention.query_rank + attention.key_value_rank + attention.rotary_size
        heads = attention.heads / t
        return (
            Product(tokens, h, down),
            Product(tokens, attention.query_rank, heads * width),
            Product(tokens, attention.key_value_rank, heads * (attention.head_size + attention.value_size)),
        ), (Product(tokens, heads * attention.value_size, h),)
    kept = key_value_heads_per_rank(heads=attention.heads, key_value_heads=attention.key_value_heads, tensor_parallel=t)
    queries = attention.heads * attention.head_size / t
    return (Product(tokens, h, queries + 2 * kept * attention.head_size),), (Product(tokens, queries, h),)


def attention_core_flops(model: Transformer, *, batch: int, sequence: int, layout: Layout, mask: str = "full") -> float:
    """Return the FLOPs of a layer's QKᵀ and of its product with V on one rank, forward.

    Formula: $\\frac{2 b\\,a\\,(h_\\text{q} + h_\\text{v})\\,s^2}{tc}$
    Symbols: b = batch; a = heads; h_\\text{q}, h_\\text{v} = widths of a query and of a value; s = sequence; t, c = the
        layout's tensor and context; s² becomes attention_pairs for another mask
    Chapter: 26

    Args:
        model: the model.
        batch: sequences of a micro-batch.
        sequence: tokens of each.
        layout: the layout.
        mask: as in ``attention_pairs``.

    Returns:
        FLOP.

    Source: Narayanan et al. 2021, appendix.
    Convention: a multiply-add is 2; the context ranks have equally many pairs, as with zig-zag cuts.
    Leaves out: the softmax.

    Example:
        >>> from snippets.models import MODELS
        >>> attention_core_flops(MODELS["Llama 3 70B"], batch=1, sequence=8192, layout=Layout(tensor=8)) / 1e12
        0.274877906944
    """
    of_kind("layout", layout, Layout)
    attention = MODELS.find(model).attention
    size = value = attention.head_size
    if isinstance(attention, LatentAttention):
        size, value = size + attention.rotary_size, attention.value_size
    pairs = positive_integer("batch", batch) * attention_pairs(sequence, mask=mask)
    whole = attention_flops(pairs=pairs, query_heads=attention.heads, head_size=1) * (size + value) / 2
    return whole / (layout.tensor * layout.context)


class ElementBytes(NamedTuple):
    """Bytes that a layer's element-wise kernels read and write on one rank."""

    forward: float
    backward: float


def element_wise_bytes(
    model: Transformer, *, batch: int, sequence: int, layout: Layout, attention: str
) -> ElementBytes:
    """Return the bytes that a layer's norms, residuals, activations, dropouts and softmax read and write.

    Formula: $x h \\left(\\frac{22}{t_\\text{seq}} + \\frac{28}{t}\\right) + \\frac{9 a x s}{t} \\;\\text{ and }\\;
        x h \\left(\\frac{46}{t_\\text{seq}} + \\frac{50}{t}\\right) + \\frac{11 a x s}{t}$
    Symbols: forward and backward of a GPT's layer with attention "standard"; x = the micro-batch's tokens on a rank;
        h = hidden; a = heads; s = sequence; t = the layout's tensor; t_\\text{seq} = t with sequence_parallel, else 1
    Chapter: 26

    Args:
        model: the model.
        batch: sequences of a micro-batch.
        sequence: tokens of each.
        layout: the layout.
        attention: ``"standard"``, with its scores in memory and dropouts, or ``"flash"``, without either.

    Returns:
        Bytes.

    Source: derived in this book, kernel by kernel: each reads what it needs and writes what it makes, once.
    Convention: 2 bytes a number, 1 a mask; dropout, its residual and the bias are one kernel, as are bias and GeLU, and
        scale, mask and softmax.
    Leaves out: casts.

    Example:
        >>> from snippets.models import gpt_like
        >>> small = gpt_like("small", layers=1, hidden=4, heads=2, positions=8)
        >>> element_wise_bytes(small, batch=1, sequence=8, layout=Layout(), attention="standard")
        ElementBytes(forward=2752.0, backward=4480.0)
    """
    dropout = named("attention", attention, ATTENTIONS) == "standard"
    model, t = MODELS.find(model), of_kind("layout", layout, Layout).tensor
    x = positive_integer("batch", batch) * positive_integer("sequence", sequence) / layout.context
    cut = t if layout.sequence_parallel else 1
    stream = x * model.hidden / cut
    widths = _inner_widths(model, layout)
    heads = model.attention.heads / t
    scores = heads * x * sequence if dropout else 0.0
    forward = (8 + (14 if dropout else 12)) * stream + x * (4 * widths.attention + widths.activation_forward)
    backward = (20 + (26 if dropout else 12)) * stream + x * (4 * widths.attention + widths.activation_backward)
    return ElementBytes(forward + 9 * scores, backward + widths.biases * x + 11 * scores)


class _Widths(NamedTuple):
    attention: float
    activation_forward: float
    activation_backward: float
    biases: float


def _inner_widths(model: Transformer, layout: Layout) -> _Widths:
    """Return numbers of a token on one rank: of queries, keys and values, and bytes around the activation function."""
    attention, t = model.attention, layout.tensor
    kept = getattr(attention, "key_value_heads", attention.heads)
    inner = (attention.heads + 2 * kept) * attention.head_size / t
    share = model.expert_layers / model.layers
    dense, mixture = model.feed_forward, model.experts
    forward = backward = biases = 0.0
    for width, gated, part in (
        (dense.width if dense else 0, dense is not None and dense.gated, 1 - share),
        (
            (mixture.per_token + mixture.shared) * mixture.width if mixture else 0,
            bool(mixture and mixture.gated),
            share,
        ),
    ):
        forward += part * width / t * (6 if gated else 4)
        backward += part * width / t * (10 if gated else 6)
    if dense is not None and dense.bias:
        biases = 2 * (inner + dense.width / t)
    return _Widths(inner, forward, backward, biases)


class PassTimes(NamedTuple):
    """Seconds of computing on one layer, or on a stage, for one micro-batch on one rank."""

    forward: float
    backward: float
    attention_gradient: float = 0.0
    feed_gradient: float = 0.0


def layer_times(
    model: Transformer,
    *,
    batch: int,
    sequence: int,
    layout: Layout,
    node: Node,
    constants: Constants,
    attention: str = "flash",
    mask: str = "full",
    dtype: str = "bf16",
) -> PassTimes:
    """Return how long one rank computes on one layer for one micro-batch, recomputation included.

    Formula: $T_F = T_\\text{matmul} + T_\\text{attention} + T_\\text{bytes},\\quad T_B = 2\\,T_F + T_\\text{again}$
    Symbols: T_F, T_B = forward and backward; T_\\text{matmul} = matmul_time_s of layer_products; T_\\text{attention} =
        attention_core_flops at its rate; T_\\text{bytes} = element_wise_bytes over the memory's bandwidth, whose
        backward is its own; T_\\text{again} = what is recomputed: 0, the attention, or T_F
    Chapter: 26

    Args:
        model: the model.
        batch: b, sequences of a micro-batch.
        sequence: s, tokens of each.
        layout: the layout.
        node: the machine.
        constants: what is assumed of it.
        attention: ``"standard"`` or ``"flash"``.
        mask: as in ``attention_pairs``: which pairs are computed.
        dtype: of the weights' matmuls.

    Returns:
        Seconds forward and backward; and of the backward pass those of the gradients of the weights that a block's
        input meets first, of both blocks, beside which the input's gradient can be summed over ranks.

    Source: derived in this book.
    Convention: without ``count_bytes`` only FLOPs count. A fused attention computes 5 products backward, not 4.
    Leaves out: communication.

    Example:
        >>> from snippets.hardware import NODES
        >>> from snippets.models import MODELS
        >>> plain = Constants(matmul_share=0.65, attention_share=0.65, count_bytes=False)
        >>> times = layer_times(
        ...     MODELS["Llama 3 70B"], batch=1, sequence=8192, layout=Layout(), node=NODES["DGX H100"], constants=plain
        ... )
        >>> [round(1e3 * time, 1) for time in times[:2]]
        [25.2, 50.4]
    """
    model, tokens = MODELS.find(model), _tokens(batch, sequence, layout)
    of_kind("constants", constants, Constants)
    of_kind("node", node, Node)
    named("attention", attention, ATTENTIONS)
    peak = dense_peak_flops_per_s(node.accelerator, dtype)
    rate, memory = constants.matmul_share * peak, constants.memory_bytes_per_s(node)
    products = layer_products(model, tokens=tokens, layout=layout)

    def seconds(block: tuple[Product, ...]) -> float:
        if not constants.count_bytes:
            return sum(product.flops for product in block) / rate
        return sum(matmul_time_s(product, flops_per_s=rate, memory_bytes_per_s=memory) for product in block)

    into, out = (seconds(products.attention_in), seconds(products.feed_in)), (products.attention_out, products.feed_out)
    weights = sum(into) + sum(seconds(block) for block in out)
    core = core_times(
        model,
        batch=batch,
        sequence=sequence,
        layout=layout,
        node=node,
        constants=constants,
        attention=attention,
        mask=mask,
    )
    traffic = element_wise_bytes(model, batch=batch, sequence=sequence, layout=layout, attention=attention)
    moved = [size / memory if constants.count_bytes else 0.0 for size in traffic]
    forward = weights + core.forward + moved[0]
    again = {"none": 0.0, "selective": core.forward, "full": forward}[layout.recompute]
    backward = 2 * weights + core.backward + moved[1] + again
    return PassTimes(forward + constants.launch_s / 3, backward + constants.launch_s * 2 / 3, *into)


def _tokens(batch: int, sequence: int, layout: Layout) -> int:
    """Return the tokens of a micro-batch on one rank, at least 1."""
    tokens = positive_integer("batch", batch) * positive_integer("sequence", sequence)
    return max(1, tokens // of_kind("layout", layout, Layout).context)


def core_times(
    model: Transformer,
    *,
    batch: int,
    sequence: int,
    layout: Layout,
    node: Node,
    constants: Constants,
    attention: str = "flash",
    mask: str = "full",
) -> PassTimes:
    """Return how long one rank computes the attention's products of one layer, without the softmax.

    Formula: $T_F = F / (uP), \\quad T_B = 2.5\\,T_F \\;\\text{ or }\\; 2\\,T_F$
    Symbols: T_F, T_B = forward and backward; F = attention_core_flops; uP = the attention's share of the peak; the
        second with attention "standard", whose products are two matmuls (matmul_time_s) for each head
    Chapter: 26

    Args:
        model: the model.
        batch: sequences of a micro-batch.
        sequence: tokens of each.
        layout: the layout.
        node: the machine.
        constants: what is assumed of it.
        attention: ``"standard"`` or ``"flash"``.
        mask: as in ``attention_pairs``.

    Returns:
        Seconds forward and backward.

    Source: derived in this book; Dao 2023 for the five products of a fused backward pass.
    Convention: without ``count_bytes``, FLOPs over the matmuls' rate, twice as many backward.
    Leaves out: the softmax.

    Example:
        >>> from snippets.hardware import NODES
        >>> from snippets.models import MODELS
        >>> plain = Constants(matmul_share=0.65, count_bytes=False)
        >>> size = {"batch": 1, "sequence": 8192, "layout": Layout(), "node": NODES["DGX H100"]}
        >>> round(1e3 * core_times(MODELS["Llama 3 70B"], **size, constants=plain).forward, 2)
        3.42
    """
    model = MODELS.find(model)
    of_kind("constants", constants, Constants)
    named("attention", attention, ATTENTIONS)
    peak = wide_peak_flops_per_s(of_kind("node", node, Node).accelerator)
    flops = attention_core_flops(model, batch=batch, sequence=sequence, layout=layout, mask=mask)
    if not constants.count_bytes:
        seconds = flops / (constants.matmul_share * peak)
        return PassTimes(seconds, 2 * seconds)
    if named("attention", attention, ATTENTIONS) == "flash":
        seconds = flops / (constants.attention_share * peak)
        return PassTimes(seconds, 2.5 * seconds)
    size, heads = model.attention.head_size, batch * model.attention.heads / layout.tensor
    own = sequence / layout.context
    rate, memory = constants.matmul_share * peak, constants.memory_bytes_per_s(node)
    seconds = sum(
        matmul_time_s(product, flops_per_s=rate, memory_bytes_per_s=memory)
        for product in (Product(own, size, sequence, heads), Product(own, sequence, size, heads))
    )
    return PassTimes(seconds, 2 * seconds)
