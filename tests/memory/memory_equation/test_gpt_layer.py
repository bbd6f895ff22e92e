"""The layer's gradients against differences, and what it keeps against the list of the chapter's formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.memory_equation import gpt_layer
from snippets.memory.memory_equation.activations import ATTENTIONS, layer_activation_bytes, stored_tensors


def sixteen_bits(name: str, array: np.ndarray[Any, Any]) -> int:
    """Bytes of a kept tensor if values have 2, masks 1 and statistics 4."""
    return array.size * (1 if array.dtype == np.bool_ else 4 if name == "log-sum-exp" else 2)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.integers(1, 5), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from(ATTENTIONS), st.data()
)
def test_what_is_kept_is_the_list(s: int, b: int, heads: int, size: int, attention: str, data: st.DataObject) -> None:
    h = heads * size
    x = np.random.default_rng(data.draw(st.integers(0, 9))).normal(size=(s, b, h))
    kept = gpt_layer.layer_forward(gpt_layer.layer_weights(hidden=h), x, heads=heads, attention=attention)[1]
    listed = stored_tensors(sequence=s, micro_batch=b, hidden=h, heads=heads, attention=attention)
    assert [(name, sixteen_bits(name, array)) for name, array in kept.items()] == [
        (tensor.name, tensor.bytes) for tensor in listed
    ]
    total = layer_activation_bytes(sequence=s, micro_batch=b, hidden=h, heads=heads, attention=attention)
    assert sum(sixteen_bits(name, array) for name, array in kept.items()) == total


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_gradients_by_differences(attention: str) -> None:
    rng = np.random.default_rng(5)
    weights, x, towards = gpt_layer.layer_weights(hidden=6, seed=2), rng.normal(size=(2, 4, 2, 6)), 1e-6
    x, gradient = x[0], x[1]

    def loss(weights: dict[str, Any], x: Any) -> float:
        out = gpt_layer.layer_forward(weights, x, heads=3, attention=attention, seed=7)[0]
        return float((out * gradient).sum())

    kept = gpt_layer.layer_forward(weights, x, heads=3, attention=attention, seed=7)[1]
    back, grads = gpt_layer.layer_backward(weights, kept, gradient, seed=7)
    way = rng.normal(size=x.shape)
    slope = (loss(weights, x + towards * way) - loss(weights, x - towards * way)) / (2 * towards)
    assert (back * way).sum() == pytest.approx(slope, rel=1e-6)
    assert list(grads) == list(weights)
    for name, value in weights.items():
        way = rng.normal(size=value.shape)
        up, down = ({**weights, name: value + sign * towards * way} for sign in (1, -1))
        slope = (loss(up, x) - loss(down, x)) / (2 * towards)
        assert (grads[name] * way).sum() == pytest.approx(slope, rel=1e-6), name


def test_every_kept_tensor_is_needed() -> None:
    rng = np.random.default_rng(1)
    weights, x = gpt_layer.layer_weights(hidden=4), rng.normal(size=(3, 2, 4))
    for attention in ATTENTIONS:
        kept = gpt_layer.layer_forward(weights, x, heads=2, attention=attention)[1]
        for name in kept:
            rest = {other: array for other, array in kept.items() if other != name}
            with pytest.raises(ValueError, match="kept must hold"):
                gpt_layer.layer_backward(weights, rest, np.ones_like(x))
    standard = gpt_layer.layer_forward(weights, x, heads=2)
    flash = gpt_layer.layer_forward(weights, x, heads=2, attention="flash")
    assert np.array_equal(standard[0], flash[0])
    pairs = zip(
        gpt_layer.layer_backward(weights, standard[1], np.ones_like(x))[1].values(),
        gpt_layer.layer_backward(weights, flash[1], np.ones_like(x))[1].values(),
        strict=True,
    )
    assert all(np.allclose(one, other) for one, other in pairs)


def test_bad_input_is_named() -> None:
    weights = gpt_layer.layer_weights(hidden=4)
    with pytest.raises(ValueError, match="hidden"):
        gpt_layer.layer_weights(hidden=0)
    for x, heads in ((np.ones((2, 4)), 2), (np.ones((2, 1, 4)), 3)):
        with pytest.raises(ValueError, match=r"heads must divide|x must have 3"):
            gpt_layer.layer_forward(weights, x, heads=heads)
    with pytest.raises(ValueError, match="attention"):
        gpt_layer.layer_forward(weights, np.ones((2, 1, 4)), heads=2, attention="none")
