"""The floors that exercise 3 of chapter A4 tells are those of the text that its statement draws."""

from __future__ import annotations

import numpy as np
import pytest

from exercises.background.information.loss_floor_nats import FLOORS_NATS, loss_floor_nats
from snippets.background.information import language_run as lab


def test_the_floors_that_are_told_are_those_of_the_chapters_text() -> None:
    rng = np.random.default_rng(5)
    rng.random(50_000)  # the chapter's coin
    language = lab.draw_language(rng, symbols=32, concentration=0.1)
    text = lab.draw_text(np.random.default_rng(9), language, length=3000)
    floors = [loss_floor_nats(text, context=context) for context in range(len(FLOORS_NATS))]
    assert floors == pytest.approx(FLOORS_NATS, abs=5e-4)
