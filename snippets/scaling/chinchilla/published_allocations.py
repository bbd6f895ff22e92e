"""Formulas: what Hoffmann et al. 2022 projected for models of many sizes, and what some models were trained on."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Catalogue, Checked
from snippets.scaling.chinchilla.formulas import GOPHER_FLOPS

READ = "2026-11-23"
_TABLE_1 = "Hoffmann et al. 2022, table 1"


@dataclass(frozen=True)
class Projection(Checked):
    """A row of Hoffmann et al. 2022's tables 3 and A3: the budget and the tokens for which a size is the best one.

    Attributes:
        parameters: N.
        flops: C as printed.
        tokens: D as printed, to a tenth of a billion or of a trillion.
        gopher_units: C over Gopher's budget as printed, where it is printed.

    >>> Projection(parameters=67e9, flops=5.76e23, tokens=1.5e12, gopher_units=1.0).units
    1.0
    """

    parameters: float
    flops: float
    tokens: float
    gopher_units: float | None = None

    @property
    def units(self) -> float:
        """C over Gopher's budget, computed.

        >>> round(APPROACHES["1"][4].units, 1)
        6.7
        """
        return self.flops / GOPHER_FLOPS


def _rows(*rows: tuple[float, ...]) -> tuple[Projection, ...]:
    return tuple(Projection(*row) for row in rows)


# By approach: "1" is table 3, "2" and "3" are table A3 of Hoffmann et al. 2022. At 175 billion parameters table A3
# prints 1.26e24 for approach 3, less than for 67 billion; its own 12.0 trillion tokens give 1.26e25, which stands here.
# (Section 3.4 names 4.41e24 operations and 4.2 trillion tokens for 175 billion, where table 3 has 3.85e24 and 3.7.)
APPROACHES: dict[str, tuple[Projection, ...]] = {
    "1": _rows(
        (400e6, 1.92e19, 8.0e9, 1 / 29_968),
        (1e9, 1.21e20, 20.2e9, 1 / 4_761),
        (10e9, 1.23e22, 205.1e9, 1 / 46),
        (67e9, 5.76e23, 1.5e12, 1),
        (175e9, 3.85e24, 3.7e12, 6.7),
        (280e9, 9.90e24, 5.9e12, 17.2),
        (520e9, 3.43e25, 11.0e12, 59.5),
        (1e12, 1.27e26, 21.2e12, 221.3),
        (10e12, 1.30e28, 216.2e12, 22_515.9),
    ),
    "2": _rows(
        (400e6, 1.84e19, 7.7e9),
        (1e9, 1.20e20, 20.0e9),
        (10e9, 1.32e22, 219.5e9),
        (67e9, 6.88e23, 1.7e12),
        (175e9, 4.54e24, 4.3e12),
        (280e9, 1.18e25, 7.1e12),
        (520e9, 4.19e25, 13.4e12),
        (1e12, 1.59e26, 26.5e12),
        (10e12, 1.75e28, 292.0e12),
    ),
    "3": _rows(
        (400e6, 2.21e19, 9.2e9),
        (1e9, 1.62e20, 27.1e9),
        (10e9, 2.46e22, 410.1e9),
        (67e9, 1.71e24, 4.1e12),
        (175e9, 1.26e25, 12.0e12),
        (280e9, 3.52e25, 20.1e12),
        (520e9, 1.36e26, 43.5e12),
        (1e12, 5.65e26, 94.1e12),
        (10e12, 8.55e28, 1425.5e12),
    ),
}
PRINTED_EXPONENTS = {"1": 0.50, "2": 0.49, "3": 0.46}  # a of N* ∝ C^a: Hoffmann et al. 2022, table 2


@dataclass(frozen=True)
class PublishedModel(Checked):
    """A model with the tokens that its makers trained it on.

    Attributes:
        name: as its makers call it.
        parameters: N, as printed.
        tokens: D, as printed.
        source: where both are printed.
        read: when they were read there.

    >>> PublishedModel("Gopher", 280e9, 300e9, "a table").flops
    5.04e+23
    """

    name: str
    parameters: float
    tokens: float
    source: str
    read: str = READ

    @property
    def flops(self) -> float:
        """6ND.

        >>> PUBLISHED_ALLOCATIONS["Chinchilla"].flops
        5.88e+23
        """
        return 6 * self.parameters * self.tokens


PUBLISHED_ALLOCATIONS = Catalogue(
    "model",
    PublishedModel,
    (
        PublishedModel("GPT-3", 175e9, 300e9, _TABLE_1),
        PublishedModel("Gopher", 280e9, 300e9, _TABLE_1),
        PublishedModel("MT-NLG", 530e9, 270e9, _TABLE_1),
        PublishedModel("Chinchilla", 70e9, 1.4e12, _TABLE_1),
    ),
)
