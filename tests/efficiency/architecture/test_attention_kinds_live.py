"""The live figure of chapter 34 says what caches that are summed and passes that are counted give."""

from __future__ import annotations

import re

import pytest

from snippets.efficiency.architecture.live import long_context_figure
from snippets.flops import training_step_flops
from snippets.live.declaring import Named
from snippets.models import MODELS

SAID = re.compile(
    r"takes ([\d.]+) ([TG])FLOP a token, ([\d.]+)% of .* is ([\d.]+) ([TGM])B\."
    r" Cut by heads it's ([\d.]+) ([TGM])B on each .* cut by sequence ([\d.]+) ([TGM])B"
)


def numbers(**values: object) -> tuple[float, float, float, float, float]:
    """Return what the figure says: FLOPs of a token, the share that compares, the cache in all and on a GPU, twice."""
    said = SAID.search(long_context_figure(**values).numbers)
    assert said
    size = {"T": 1e12, "G": 1e9, "M": 1e6}
    flops, share, whole, held, cut = (float(said[place]) for place in (1, 3, 4, 6, 8))
    return flops * size[said[2]], share / 100, whole * size[said[5]], held * size[said[7]], cut * size[said[9]]


@pytest.mark.parametrize("tokens", [8192, 2**17, 2**20])
def test_with_every_layer_full_it_is_the_books_training_step(tokens: int) -> None:
    flops, share, whole, held, cut = numbers(kind="full", blocks=tokens // 1024, ranks="8")
    step = training_step_flops("Llama 3 70B", batch=1, sequence=tokens, mask="exact")
    assert flops == pytest.approx(step / tokens, rel=6e-3)
    compared = 3 * 4 * 80 * 64 * 128 * (tokens + 1) / 2
    assert share == pytest.approx(compared * tokens / step, rel=6e-3)
    assert whole == pytest.approx(2 * 2 * 8 * 128 * 80 * tokens, rel=6e-3)
    assert held == cut == pytest.approx(whole / 8, rel=1e-2)


def test_layer_by_layer_windows_are_what_the_figure_says() -> None:
    tokens, window = 2**14, 512
    flops, _, whole, *_ = numbers(kind="windows", blocks=tokens // 1024, window=window, full_every=4, ranks="2")
    seen = [tokens if (layer + 1) % 4 == 0 else window for layer in range(80)]
    pairs = sum(sum(min(place + 1, most) for place in range(tokens)) for most in seen)
    model = MODELS["Llama 3 70B"]
    alone = training_step_flops(model, batch=1, sequence=1)  # with one pair a head and layer
    assert flops == pytest.approx(alone + 3 * 4 * 64 * 128 * (pairs / tokens - 80), rel=6e-3)
    assert whole == pytest.approx(sum(4096 * most for most in seen), rel=6e-3)


def test_latents_are_whole_on_every_gpu_unless_the_sequence_is_cut() -> None:
    for ranks in ("1", "8"):
        _, _, whole, held, cut = numbers(kind="latents", blocks=1024, ranks=ranks)
        assert cut == pytest.approx(whole / int(ranks), rel=6e-3)
        assert whole == held == pytest.approx(80 * 576 * 2 * 2**20, rel=6e-3)


def test_an_indexer_adds_its_keys() -> None:
    held = numbers(kind="chosen", blocks=1024, ranks="8")[3]
    assert held == pytest.approx(80 * (576 + 128) * 2 * 2**20, rel=6e-3)


def test_an_indexer_trains_on_what_it_chose() -> None:
    """Every pair once, for the choice; backward the indexer's chosen pairs alone, and attention's three passes."""
    tokens = 2**14
    flops = numbers(kind="chosen", blocks=tokens // 1024, ranks="8")[0]
    chosen = sum(min(place + 1, 2048) for place in range(tokens)) / tokens
    every = (tokens + 1) / 2
    alone = 66_355_986_432 * 6  # of the matrices; the 70B with latents
    scores = 2 * 80 * (8192 * every + 2 * 8192 * chosen + 3 * 64 * (576 + 512) * chosen)
    assert flops == pytest.approx(alone + scores, rel=6e-3)


@pytest.mark.parametrize("named", long_context_figure.named, ids=lambda named: named.name)
def test_what_does_not_fit_is_said(named: Named) -> None:
    values = {knob.name: knob.default for knob in long_context_figure.knobs} | dict(named.values)
    said = long_context_figure(**values).numbers
    assert ("GPUs (fits)" in said) == (named.name not in ("Latents", "Chosen tokens"))
    assert "(fits). Cut like that," in said


@pytest.mark.parametrize(
    ("kind", "requests", "prompt_s", "read_ms"),
    [
        ("full", 1, 308, 12.8),
        ("latents", 5, 376, 3.6),
        ("chosen", 4, 171, 0.81),
        ("windows", 8, 74, 2.1),
        ("both", 31, 84, 0.59),
    ],
)
def test_a_pair_of_offers_holds_most_requests(kind: str, requests: int, prompt_s: float, read_ms: float) -> None:
    """Requests, prompts and reading by hand: pairs that a GPU compares at 65% of 989 TFLOP/s, bytes at 3.35 TB/s."""
    said = re.search(
        r"that, ([\d,]+) requests? fits? at once, a prompt takes ([\d.]+) s, and a GPU reads for ([\d.]+) ms",
        long_context_figure(kind=kind, blocks=1024, ranks="8").numbers.replace("fits at", "fit at"),
    )
    assert said
    assert int(said[1]) == requests
    million = 2**20
    seen = 13 * million / 2 + 67 * 1024 if kind in ("windows", "both") else 80 * million / 2
    weights = 69.5e9 if kind in ("full", "windows") else 66.36e9
    width = 64 * (128 + 128) if kind in ("full", "windows") else 64 * (192 + 128)
    by_hand = 2 * weights + 2 * width * seen
    if kind == "chosen":
        by_hand = 2 * weights + 2 * 8192 * seen + 2 * 80 * 64 * (576 + 512) * 2048
    assert float(said[2]) == pytest.approx(by_hand * million / 8 / (0.65 * 989.4e12), rel=0.01)
    assert float(said[2]) == pytest.approx(prompt_s, rel=0.01)
    kept = 13 * million + 67 * 1024 if kind in ("windows", "both") else 80 * million
    numbers_each = 2048 if kind in ("full", "windows") else 576
    read = 2 * numbers_each * kept if kind != "chosen" else 2 * 80 * (576 * 2048 + 128 * million)
    assert float(said[3]) == pytest.approx(1000 * read / 8 / 3.35e12, rel=0.01)
    assert float(said[3]) == pytest.approx(read_ms, rel=0.02)
