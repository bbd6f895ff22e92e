"""Formulas: recipes by which the numbers of a tensor share scales: who shares one, and what a scale may be."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Answers, Catalogue, named, positive_integer, text_fields
from snippets.efficiency.precision.formats import NUMBER_FORMATS

SCALES = {"fp32": 32, "power": 32, "mx-floor": 8, "mx-ceiling": 8, "nvfp4": 8}
"""Bits of a block's scale, by its kind. ``power`` is a power of two in an fp32 number."""


@dataclass(frozen=True)
class ScalingRecipe(Answers):
    """How a tensor is scaled and rounded: the format of its numbers, the shape of a block, the kind of its scale.

    Attributes:
        name: how the book calls it.
        number_format: a name in ``NUMBER_FORMATS`` with a sign.
        rows: of a block; ``None`` for all of the tensor.
        columns: of a block, neighbours in the last axis; ``None`` for all of the row.
        scale: ``"fp32"``, the largest magnitude over the format's largest number; ``"power"``, the power of two at it
            or above; ``"mx-floor"`` and ``"mx-ceiling"``, ``mx_block_scale`` by its two rules; ``"nvfp4"``, an E4M3
            number times one fp32 number for the tensor.
        source: who defines or uses it.

    Example:
        >>> SCALING_RECIPES["mxfp8"].columns, SCALING_RECIPES["NVFP4"].scale_bits
        (32, 8)
        >>> ScalingRecipe("mine", "e5m2", rows=1, columns=64).scale
        'fp32'
    """

    name: str
    number_format: str
    rows: int | None = None
    columns: int | None = None
    scale: str = "fp32"
    source: str = ""

    def __post_init__(self) -> None:
        text_fields(self, "name", "source")
        kept = NUMBER_FORMATS.name_of(self.number_format)
        if NUMBER_FORMATS[kept].scale_only:
            raise ValueError(f"number_format must have a sign and a mantissa, got {self.number_format!r}")
        object.__setattr__(self, "number_format", kept)
        for side in ("rows", "columns"):
            if getattr(self, side) is not None:
                object.__setattr__(self, side, positive_integer(side, getattr(self, side)))
        scale = named("scale", self.scale, SCALES)
        if scale == "nvfp4" and kept != "e2m1":
            raise ValueError(f"scale must not be 'nvfp4' for {kept}, which is not NVFP4's e2m1, got {self.scale!r}")
        object.__setattr__(self, "scale", scale)

    @property
    def scale_bits(self) -> int:
        """Bits of a block's scale.

        >>> SCALING_RECIPES["fp8-tensor"].scale_bits
        32
        """
        return SCALES[self.scale]


_TE = "Transformer Engine's documentation, "
_DEEPSEEK = "blocks as in DeepSeek-AI 2024 (DeepSeek-V3), section 3.3"
_MX = "OCP Microscaling Formats (MX) Specification 1.0"
_NVFP4 = "NVIDIA 2025 (Pretraining Large Language Models with NVFP4)"
_INTEGER = "symmetric integers in blocks, as compressed collectives send them"

SCALING_RECIPES = Catalogue(
    "recipe",
    ScalingRecipe,
    (
        ScalingRecipe("fp8-tensor", "e4m3", source=_TE + "FP8 Current Scaling"),
        ScalingRecipe("fp8-row", "e4m3", rows=1, source="a scale for each row, as rowwise FP8 training has it"),
        ScalingRecipe("fp8-block", "e4m3", 1, 128, "power", _TE + "FP8 Blockwise Scaling; " + _DEEPSEEK),
        ScalingRecipe("fp8-tile", "e4m3", 128, 128, "power", _TE + "FP8 Blockwise Scaling, weights; " + _DEEPSEEK),
        ScalingRecipe("mxfp8", "e4m3", 1, 32, "mx-floor", _MX),
        ScalingRecipe("mxfp8-ceiling", "e4m3", 1, 32, "mx-ceiling", _TE + "MXFP8"),
        ScalingRecipe("mxfp6", "e2m3", 1, 32, "mx-floor", _MX),
        ScalingRecipe("mxfp4", "e2m1", 1, 32, "mx-floor", _MX),
        ScalingRecipe("nvfp4", "e2m1", 1, 16, "nvfp4", _NVFP4),
        ScalingRecipe("nvfp4-tile", "e2m1", 16, 16, "nvfp4", _NVFP4 + ", weights"),
        ScalingRecipe("fp4-tensor", "e2m1", source="no library's: what NVFP4's blocks are compared with"),
        ScalingRecipe("int8-tensor", "int8", source="symmetric integers, one scale"),
        ScalingRecipe("int8-block", "int8", 1, 128, source=_INTEGER),
        ScalingRecipe("int4-block", "int4", 1, 128, source=_INTEGER),
    ),
)
"""Recipes of scaling by name. MXFP8 may have E5M2 numbers too, MXFP6 E3M2: make a ``ScalingRecipe`` of your own."""
