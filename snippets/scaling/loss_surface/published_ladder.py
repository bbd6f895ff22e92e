"""Formulas: a ladder of language models that others trained and published, with compute and loss."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Catalogue, Checked
from snippets.scaling.loss_surface.formulas import READ

_ZOO = "README of Cerebras-GPT in the Cerebras Model Zoo, table of the 0-shot evaluation"


@dataclass(frozen=True)
class LadderRun(Checked):
    """One trained model.

    Attributes:
        name: the model's.
        parameters: as its name has them.
        tokens: of its training.
        flops: of its training, as printed; they count attention and the vocabulary too.
        loss_nats: loss on the test part of the Pile, in nats a token.
        card_loss_nats: the same as the models' cards print it.
        source: of the losses.
        read: when they were read there.

    >>> LadderRun("toy", 1e6, 2e7, 1e14, 5.0, 5.1, "nowhere").loss_nats
    5.0
    """

    name: str
    parameters: float
    tokens: float
    flops: float
    loss_nats: float
    card_loss_nats: float
    source: str = _ZOO
    read: str = READ


CEREBRAS_GPT = Catalogue(
    "model",
    LadderRun,
    [
        LadderRun("111M", 111e6, 2.22e9, 2.6e18, 2.608, 2.566),
        LadderRun("256M", 256e6, 5.12e9, 1.3e19, 2.349, 2.299),
        LadderRun("590M", 590e6, 1.18e10, 6.1e19, 2.181, 2.184),
        LadderRun("1.3B", 1.3e9, 2.63e10, 2.8e20, 1.997, 1.996),
        LadderRun("2.7B", 2.7e9, 5.30e10, 1.1e21, 1.834, 1.834),
        LadderRun("6.7B", 6.7e9, 1.33e11, 6.3e21, 1.704, 1.704),
        LadderRun("13B", 13e9, 2.57e11, 2.3e22, 1.572, 1.575),
    ],
)
