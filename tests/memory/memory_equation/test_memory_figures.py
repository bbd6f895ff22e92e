"""The pictures of the chapters on memory: that they show what they were given, and name it."""

from __future__ import annotations

import re

import pytest

from snippets.figures import svg_of
from snippets.memory.memory_equation import figures as memory_figures
from snippets.memory.memory_equation.activations import stored_tensors
from snippets.memory.memory_equation.step_peak import gpt_step_sizes
from snippets.memory.memory_equation.step_timeline import step_timeline

SIZES = gpt_step_sizes(layers=3, hidden=64, heads=4, vocabulary=100, sequence=32, micro_batch=2)


def test_timeline_shows_phases_kinds_and_the_peak() -> None:
    line = step_timeline(SIZES)
    svg = svg_of(memory_figures.timeline_plot(line, device_bytes=2 * line.peak_bytes, title="A step"))
    for text in ("forward", "backward", "update", "A step", f"peak {line.peak_bytes / 1e9:.1f}", "temporary"):
        assert f">{text}" in svg, text


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def test_lives_have_a_row_for_what_comes_and_goes_together() -> None:
    line = step_timeline(
        gpt_step_sizes(layers=2, hidden=64, heads=4, vocabulary=100, sequence=32, micro_batch=2, attention="flash")
    )
    rows = memory_figures.life_rows(line)
    assert sum(size for _, _, size, _ in rows) == sum(tensor.bytes for tensor in line.tensors)
    for moment in line.moments:  # a row is there, or it is not, and the rows that are there add up to the moment
        there = [size for _, _, size, tensors in rows if memory_figures._alive(tensors[0], moment)]
        assert sum(there) == moment.total
    names = [name for name, _, _, _ in rows]
    for name in ("weights", "optimizer state", "layer 1's activations", "layer 2's activations", "layer 1's gradients"):
        assert names.count(name) == 1
    assert names.index("layer 2's gradients") < names.index("layer 1's gradients")


def test_lives_show_every_sum_and_mark_the_peak() -> None:
    line = step_timeline(gpt_step_sizes(layers=2, hidden=512, heads=4, vocabulary=9000, sequence=512, micro_batch=8))
    svg = memory_figures.lives_panel(line).svg()
    for moment in line.moments:
        if moment.task not in ("embedding", "end"):
            assert f"{moment.total / 1e9:.2f}" in texts(svg)
    assert re.findall(r'font-weight="600"[^>]*>([^<]+)<', svg) == [f"{line.peak_bytes / 1e9:.2f}"]
    assert "time, task by task" in texts(svg)
    many = step_timeline(gpt_step_sizes(layers=5, hidden=4, heads=1, vocabulary=9, sequence=4, micro_batch=1))
    with pytest.raises(ValueError, match="tasks of the timeline must be at most 12"):
        memory_figures.lives_panel(many)


@pytest.mark.parametrize("attention", ["standard", "flash"])
def test_every_kept_tensor_is_drawn_with_its_bytes_and_its_use(attention: str) -> None:
    tensors = stored_tensors(sequence=8, micro_batch=1, hidden=16, heads=2, attention=attention)
    narrow = memory_figures.stored_tensors_rows(tensors, values=8 * 16)
    assert narrow.width <= 340
    for tensor in tensors:
        assert memory_figures.CALLED.get(tensor.name, tensor.name) in texts(narrow.svg())
    shown = texts(memory_figures.stored_tensors_panel(tensors, values=8 * 16).svg())
    for tensor in tensors:
        name = memory_figures.CALLED.get(tensor.name, tensor.name)
        assert shown[shown.index(name) + 1] == f"{tensor.bytes / 128:.3g}"
        assert memory_figures.NEEDED_BY[tensor.name][1] in shown


def test_a_step_of_two_layers_fits_a_phone_and_names_every_row_with_its_bytes() -> None:
    line = step_timeline(gpt_step_sizes(layers=2, hidden=512, heads=4, vocabulary=9000, sequence=512, micro_batch=8))
    panel = memory_figures.lives_panel(line)
    assert panel.width <= 340
    shown = texts(panel.svg())
    for name, _, size, _ in memory_figures.life_rows(line):
        assert f"{name}, {size / 1e9:.2f} GB" in shown
    for x, words in re.findall(r'<text x="([\d.]+)"[^>]*class="start"[^>]*>([^<]+)<', panel.svg()):
        assert float(x) + 6.2 * len(words) < panel.width, words
    for x, words in re.findall(r'<text x="([\d.]+)"[^>]*class="end"[^>]*>([^<]+)<', panel.svg()):
        assert float(x) - 6.2 * len(words) > 0, words


def test_no_number_beside_a_bar_touches_the_arrow() -> None:
    tensors = stored_tensors(sequence=2048, micro_batch=1, hidden=3072, heads=32)
    svg = memory_figures.stored_tensors_panel(tensors, values=2048 * 3072).svg()
    (arrow,) = {float(x) for x in re.findall(r'<line x1="([\d.]+)"', svg) if float(x) > 300}
    for x, words in re.findall(r'<text x="([\d.]+)"[^>]*>([\d.]+)<', svg):
        assert float(x) + 7.5 * len(words) < arrow - 4
