"""Drawings: how often an answer of ℓ tokens is right, against compute, on an ordinary and on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Callable

from snippets.domain import number_between
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number
from snippets.scaling.phase_transitions.emergence import exact_match_rate, spread_exact_match_rate, zero_upper_bound

FIRST_LOSS = 2.0  # nats a token, of the model with compute 1
MOST = 1e8
MODELS = tuple(10.0**power for power in range(9))
_LEAST = 1e-6  # the lower end of the logarithmic axis


def right_share(compute: float, *, fall: float, tokens: int, spread: float) -> float:
    """Return how often an answer is right at a compute, if the loss is ``fall`` times as large for every tenfold.

    Args:
        compute: in those of the first model, whose tokens lose 2 nats; from 1e-12 to 1e30.
        fall: from 0.001 to 0.999.
        tokens: of an answer.
        spread: standard deviation of the problems' losses over their mean, from 0 to 100.

    >>> round(right_share(1000, fall=0.5, tokens=20, spread=0.5), 3)
    0.039
    """
    fall, spread = number_between("fall", fall, low=1e-3, high=0.999), number_between("spread", spread, low=0, high=100)
    compute = number_between("compute", compute, low=1e-12, high=1e30)
    loss = FIRST_LOSS * fall ** math.log10(compute)
    if spread < 1e-6:
        return exact_match_rate(token_accuracy=math.exp(-loss), tokens=tokens)
    return spread_exact_match_rate(loss=loss, tokens=tokens, shape=1 / spread**2)


def _panel(
    up: Axis, title: str, share: Callable[[float, int], float], *, tokens: int, floor: float, tested: float
) -> Panel:
    """Draw token accuracy and exact match against compute over the band of rates that a zero does not rule out."""
    plot = Plot(
        Axis(1, MOST, "log", "compute, first model = 1", ticks=MODELS[:7:2]),
        up,
        title=title,
        width_px=330,
        height_px=230,
    )
    top = plot.y(max(floor, up.low))
    if plot.bottom - top > 0.5:
        band = [(plot.left, top, plot.right - plot.left, plot.bottom - top)]
        plot.panel.rectangles(band, colour="idle", strength=0.25)
    plot.panel.line(plot.x(tested), plot.top, plot.x(tested), plot.bottom, dashed=True)
    plot.panel.text(plot.x(tested) + 5, plot.bottom - 26, "tested", size=12)
    least = up.low / 10 if up.scale == "log" else 0.0
    for length, colour in ((1, "muted"), (tokens, "accent")):
        points = [(10 ** (step / 8), max(share(10 ** (step / 8), length), least)) for step in range(65)]
        plot.curve(points, colour=colour, dashed=length != tokens, width=1.5 if length != tokens else 2.5)
        if length == tokens:
            plot.dots(points[::8], colour=colour, radius=4.5)
    following = 10 * tested
    reached = share(following, tokens)
    x, y = plot.x(following), plot.y(max(reached, least))
    plot.dots([(following, max(reached, least))], colour="ink", radius=5.5)
    if up.scale == "log":  # on the other axis the words would lie on the curve
        words = f"next: {_percent(reached)}"
        if x > 200:
            plot.panel.text(x - 10, max(y - 8, plot.top + 14), words, anchor="end", size=12)
        else:
            plot.panel.text(x + 12, min(y + 14, plot.bottom - 8), words, size=12)
    return plot.panel


@live_figure(
    title="A jump that slides",
    opens="The question",
    caption="Dashed: one token. Full, with a dot for every tenfold compute: an answer of $\\ell$ tokens that must all "
    "be right. The largest dot is the model with ten times the compute of the tested one. Grey: rates so low that "
    "a test of $J$ problems shows nothing right more often than one time in twenty. First with the share on an "
    "ordinary axis, then on a logarithmic one, on which the dots do not jump.",
    knobs=[
        Number("tokens", "Tokens of an answer ℓ", 2, 1, 100, 1),
        Number("spread", "Spread of the problems 1/√ξ", 0, 0, 1.5, 0.05, whole=False),
        Number("fall", "Loss, times this for 10× compute", 0.5, 0.3, 0.9, 0.05, whole=False),
        Number("problems", "Problems of the test J", 100, 10, 10_000, 10, scale="log"),
        Number("tested", "Tested model, tenfold steps from the first", 2, 0, 6),
    ],
    named=[
        Named(
            "The question",
            "The tested model gets 0.67% of the answers right, and 100 problems show none with a chance of 51%. The "
            "next model, with 10 times the compute, gets 3.9% right.",
            {"tokens": 20, "spread": 0.5},
        ),
        Named(
            "All problems alike",
            "The full curve is the dashed one, 21,000 times the compute later. The tested model gets 0.0045% right.",
            {"tokens": 20},
        ),
        Named(
            "1,000 problems",
            "The grey band ends lower, and this test shows none right with a chance of only 0.12%.",
            {"tokens": 20, "spread": 0.5, "problems": 1000},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Tested is a run with a hundredth of the model's compute: 0.44% of its answers are right, and 100 problems "
            "show none with a chance of 64%. The model itself, with 100 times its compute, gets 3.9% right.",
            {"tokens": 20, "spread": 0.5, "fall": 0.66, "tested": 3},
        ),
    ],
)
def emergence(*, tokens: int, spread: float, fall: float, problems: int, tested: int) -> Picture:
    """Draw both axes, and say what the tested model gets right, and models of 10 and 100 times its compute."""
    floor, own = zero_upper_bound(trials=problems), 10.0**tested

    def share(compute: float, length: int) -> float:
        return right_share(compute, fall=fall, tokens=length, spread=spread)

    axes = {
        "Right, share": Axis(0, 1, ticks=(0, 0.25, 0.5, 0.75, 1)),
        "The same, logarithmic": Axis(_LEAST, 1, "log", ticks=(1e-6, 1e-4, 1e-2, 1)),
    }
    panels = [_panel(up, title, share, tokens=tokens, floor=floor, tested=own) for title, up in axes.items()]
    whole = share(own, tokens)
    moved = _times(tokens ** (-1 / math.log10(fall)))
    numbers = (
        f"At {own:,.0f} times the compute a token is right in {_percent(share(own, 1))}, an answer of {tokens} in "
        f"{_percent(whole)}, with 10 times more compute in {_percent(share(10 * own, tokens))}, with 100 times in "
        f"{_percent(share(100 * own, tokens))}. Of {problems:,} problems the tested model gets none right "
        f"with a chance of {_percent((1 - whole) ** problems)}. The curve of {tokens} lies at "
        f"{moved} times the compute of one token's."
    )
    alt = (
        f"Two plots of the share of right answers against compute from 1 to 10⁸. The curve for answers of {tokens} "
        f"tokens has the form of the dashed curve for one token, moved right by a factor of {moved}. A grey band ends "
        f"at {_percent(floor)}. On the logarithmic axis the curve rises in a smooth bend through it."
    )
    return Picture(panels, numbers, alt)


def _percent(share: float) -> str:
    """Write a share in per cent with two digits, and a very small one as such."""
    if share < 5e-7:
        return "less than 0.0001%"
    if share > 0.99995:
        return "100%"
    return f"{float(f'{100 * share:.2g}'):g}%" if share < 0.995 else f"{100 * share:.2f}%"


def _times(factor: float) -> str:
    """Write a factor with two digits, a very large one as a power of ten."""
    if factor >= 1e15:
        return f"10^{math.log10(factor):.0f}"
    return f"{float(f'{factor:.2g}'):,.0f}" if factor >= 10 else f"{factor:.2g}"
