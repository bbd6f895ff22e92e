"""How large a formula is taken to be, beside what Chromium makes of it (in STIX Two Math, measured once)."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from press.site.formula_size import formula_size

LINE = "<mi>T</mi><mo>≥</mo>"
LATENCY = f"{LINE}<mo>⌈</mo><msub><mo>log</mo><mn>2</mn></msub><mi>R</mi><mo>⌉</mo>"
SLOWEST = (
    f"{LINE}<mo>max</mo><mrow><mo>(</mo><mfrac><mi>F</mi><mi>P</mi></mfrac><mo>,</mo>"
    "<mfrac><mi>Q</mi><msub><mi>β</mi><mtext>mem</mtext></msub></mfrac><mo>)</mo></mrow>"
)


def size(math: str) -> tuple[float, float]:
    found = formula_size(BeautifulSoup(f"<math>{math}</math>", "html.parser"))
    return found.width, found.height


@pytest.mark.parametrize(("math", "width"), [(LATENCY, 5.1), (SLOWEST, 8.4)])
def test_a_formulas_width_is_known_within_a_fifth(math: str, width: float) -> None:
    assert size(math)[0] == pytest.approx(width, rel=0.2)


def test_a_fraction_is_as_wide_as_its_longer_part_and_as_high_as_both() -> None:
    above, below = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>", "<mi>c</mi>"
    width, height = size(f"<mfrac>{above}{below}</mfrac>")
    assert width == pytest.approx(size(above)[0], abs=0.2)
    assert height == pytest.approx(size(above)[1] + size(below)[1], abs=0.2)


def test_a_tables_rows_stand_below_one_another_and_its_columns_side_by_side() -> None:
    cell = "<mtd><mi>xxxx</mi></mtd>"
    wide, high = size(f"<mtable><mtr>{cell}{cell}</mtr></mtable>"), size(f"<mtable>{f'<mtr>{cell}</mtr>' * 2}</mtable>")
    assert wide[0] == pytest.approx(2 * high[0])
    assert high[1] == pytest.approx(2 * wide[1])


def test_what_stands_in_brackets_beside_a_fraction_is_wider_than_beside_a_letter() -> None:
    fraction, letter = "<mfrac><mi>x</mi><mi>y</mi></mfrac>", "<mi>x</mi>"
    added = [size(f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>")[0] - size(inner)[0] for inner in (fraction, letter)]
    assert added[0] > added[1]
