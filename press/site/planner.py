"""Writes the page Planner: the form, and the answer to the setting with which it opens, complete without scripts.

A link alone on its line titled ``collected: planner`` stands for both, and one titled ``collected: measured`` for what
the model predicts beside what was measured. ``docs/javascripts/planner.js`` sends what a
reader sets to the same Python and puts its answers into the parts that are written here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snippets.composition.configuration_search.planner_fields import PageField

MODULE = "snippets.composition.configuration_search.planner_view"  # what the page's worker calls
WRITTEN_BY = (MODULE, "snippets.composition.configuration_search.judged_dots", "snippets.live.declaring")
SUBJECT = "pages/planner"
MEASURED = "snippets/composition/configuration_search/measured"
ACCURACY = "snippets/composition/configuration_search/planner_accuracy.json"  # where planner_page looks for it
GOAL_ERROR, GOAL_PAIRS = 0.05, 0.95
_GROUPS = {
    "model": "What to train",
    "cluster": "On what",
    "step": "A step",
    "assumptions": "Assumptions",
    "money": "Days and price",
    "limits": "What may be tried",
}
_FOLDED = ("assumptions", "money", "limits")
_TITLES = {
    "rows": ("the-list", "The fastest layouts"),
    "chosen": ("where-the-time-goes", "Where the time and the memory go"),
    "refused": ("what-cannot-run", "What can't run, and why"),
    "run": ("to-run-it", "To run it"),
}


def accuracy_json() -> bytes:
    """Return how well answers did on measured runs, a sentence for each device, format and sort of model.

    The measured rows themselves stay out of the page's archive, and a browser need not predict them all.
    """
    from snippets.composition.configuration_search.judged import accuracy_of
    from snippets.composition.configuration_search.planner_fields import FIELDS
    from snippets.composition.configuration_search.planner_page import accuracy_key
    from snippets.hardware import NODES

    devices = dict.fromkeys(node.accelerator.name for node in NODES.values())
    sorts = {"Llama 3 70B": False, "DeepSeek-V3": True}
    sentences = {
        accuracy_key(device, dtype, experts=experts): accuracy_of(device, dtype, model).sentence
        for device in devices
        for dtype in FIELDS["dtype"].options or ()
        for model, experts in sorts.items()
    }
    return json.dumps(sentences, ensure_ascii=False).encode()


def planner_html() -> bytes:
    """Return the form and the answer with which the page opens."""
    from snippets.composition.configuration_search.planner_view import planned_view

    answer = json.loads(planned_view("{}"))
    parts = answer["parts"]
    sections = "".join(
        f'<section aria-labelledby="{place}"><h2 id="{place}">{title}</h2>{_before(name)}'
        f'<div data-part="{name}">{parts[name]}</div></section>'
        for name, (place, title) in _TITLES.items()
    )
    return (
        f'<div class="planner" data-subject="{SUBJECT}" data-module="{MODULE}">'
        f"{_form(answer['constants'])}"
        '<div class="planner-answer"><div class="planner-status">'
        f'<div data-part="summary">{parts["summary"]}</div></div>{sections}</div></div>'
    ).encode()


def _before(part: str) -> str:
    """Return what stands above a part and stays there when it changes."""
    if part == "rows":
        return (
            '<p class="planner-tools"><button type="button" data-copy="link">Copy a link to this setting</button>'
            '<button type="button" data-copy="csv">Copy as CSV</button> <span role="status"></span><label>'
            '<input type="checkbox" id="planner-distinct" checked> only the fastest of each t, p and e</label></p>'
        )
    if part == "chosen":
        return (
            '<form class="planner-why" aria-label="A layout to look at"><label for="planner-why">Another layout, or why'
            ' not this one?</label> <input type="text" id="planner-why" name="chosen" placeholder="t=8 p=4 zero=1"'
            ' autocomplete="off" spellcheck="false" aria-describedby="planner-why-how">'
            '<button type="submit">Look</button><small id="planner-why-how">t tensor, p stages, v chunks, c context, d'
            " data, e experts, b sequences at a time, zero, recompute; what you leave out is 1, and d takes the rest."
            "</small></form>"
        )
    return ""


def _form(constants: dict[str, str]) -> str:
    from snippets.composition.configuration_search.planner_fields import FIELDS, PRESETS

    presets = "".join(
        f'<button type="button" data-setting="{escape(json.dumps(setting))}" aria-pressed="{pressed}">'
        f"{escape(name)}</button>"
        for (name, setting), pressed in zip(PRESETS.items(), ["true"] + ["false"] * len(PRESETS), strict=False)
    )
    groups = "".join(
        _group(group, [field for field in FIELDS.values() if field.group == group], constants) for group in _GROUPS
    )
    return (
        '<form class="planner-form" aria-label="What to plan">'
        f'<p class="planner-presets" role="group" aria-label="Settings with a name">{presets}</p>{groups}'
        '<p class="planner-note" role="status"></p></form>'
    )


def _group(group: str, fields: Iterable[PageField], constants: dict[str, str]) -> str:
    inner = "".join(_field(field, constants) for field in fields)
    if group == "limits":
        inner += "<p>Sizes with commas between them. What is empty may be anything.</p>"
    title = _GROUPS[group]
    set_of = f"<fieldset><legend>{title}</legend>{inner}</fieldset>"
    if group in _FOLDED:
        return f'<details class="planner-more"><summary>{title}</summary>{set_of}</details>'
    return set_of


def _field(field: PageField, constants: dict[str, str]) -> str:
    name, label = f"planner-{field.name}", escape(field.label)
    needs = f' data-needs="{escape("=".join(field.needs))}" hidden' if field.needs else ""
    default = escape(field.default, quote=True)
    extra = ""
    if field.options:
        options = "".join(
            f'<option value="{escape(value)}"{" selected" * (value == field.default)}>{escape(text)}</option>'
            for value, text in field.options.items()
        )
        control = f'<select id="{name}" name="{field.name}" data-default="{default}">{options}</select>'
    elif field.kind == "text":
        control = (
            f'<textarea id="{name}" name="{field.name}" data-default="" rows="6" spellcheck="false"'
            f' placeholder="Paste it, or drop the file here" aria-describedby="{name}-error"></textarea>'
            '<input type="file" aria-label="config.json, as a file">'
        )
    else:
        hint = constants["matmul_share"] if field.name == "matmul_share" else field.hint
        shown = f' placeholder="{escape(hint, quote=True)}"' if hint else ""
        control = (
            f'<input type="text" id="{name}" name="{field.name}" value="{default}" data-default="{default}"{shown}'
            ' autocomplete="off" spellcheck="false">'
        )
    if field.name == "matmul_share":
        extra = f'<small class="planner-source">{escape(constants["source"])}</small>'
    return (
        f'<p class="planner-field"{needs}><label for="{name}">{label}</label>{control}{extra}'
        f'<span class="planner-error" id="{name}-error"></span></p>'
    )


def measured_html() -> bytes:
    """Return planned against measured: a picture with a dot for each step, and the table of all groups."""
    from snippets.composition.configuration_search.judged import accuracy_table
    from snippets.composition.configuration_search.judged_dots import judged_panels, judged_points
    from snippets.live.declaring import in_page

    points = judged_points()
    svgs = "".join(in_page(panel) for panel in judged_panels(points))
    count = sum(map(len, points.values()))
    near = sum(abs(predicted / measured - 1) <= 0.1 for pairs in points.values() for measured, predicted in pairs)
    alt = f"A dot for each of {count} steps, measured against predicted: {near} lie within 10% of the diagonal."
    figure = (
        f'<figure class="book-figure planner-dots"><div class="panels" role="img" aria-label="{alt}">{svgs}</div>'
        f"<figcaption>Seconds of {count} steps on logarithmic axes: measured to the right, predicted upwards. On the"
        f" line both are the same, and between the dashed lines, where {near} of them lie, they differ by at most 10%."
        "</figcaption></figure>"
    )
    columns = {heading: column for heading, column in accuracy_table().items() if heading != "jobs ranked"}
    heads = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in columns)
    lines = "".join(
        f"<tr>{''.join(_measured_cell(heading, entry) for heading, entry in zip(columns, row, strict=True))}</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    table = (
        '<div class="planner-measured" role="region" aria-label="Planned against measured, by group" tabindex="0">'
        f'<table class="planner-parts"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'
    )
    return f"{figure}{table}<p>{_goals()}</p>".encode()


def _goals() -> str:
    """Return where the model reaches what it was to reach, and by how much it misses it elsewhere."""
    from snippets.composition.configuration_search.judged import group_accuracy, judged_groups

    found = [group_accuracy(group) for group in judged_groups()]
    missed = sorted((one for one in found if one.median_error > GOAL_ERROR), key=lambda one: -one.median_error)
    far = "; ".join(f"{escape(one.group)} by {100 * (one.median_error - GOAL_ERROR):.0f}" for one in missed[:3])
    said = (
        f"Our goal is a median error of at most {GOAL_ERROR:.0%} in each group. {len(found) - len(missed)} of"
        f" {len(found)} groups reach it."
    )
    if missed:
        said += f" The farthest from it, in points: {far}."
    ranked = [one for one in found if one.regret is not None and one.ordered_pairs is not None]
    late = [f"{escape(one.group)} ({one.regret:.1%})" for one in ranked if (one.regret or 0) > GOAL_ERROR]
    order = [
        f"{escape(one.group)} ({one.ordered_pairs:.1%})" for one in ranked if (one.ordered_pairs or 0) < GOAL_PAIRS
    ]
    said += f" Its choice is to cost at most {GOAL_ERROR:.0%} more than the best, which {_except(late, len(ranked))}."
    said += f" And {GOAL_PAIRS:.0%} of the pairs are to be in order, which {_except(order, len(ranked))}."
    return said


def _except(missed: list[str], ranked: int) -> str:
    if not missed:
        return f"holds in all {ranked} groups with several layouts of a job"
    return f"holds in {ranked - len(missed)} of {ranked} groups, not in {', '.join(missed)}"


def _measured_cell(heading: str, entry: str | int | float | None) -> str:
    if isinstance(entry, str):
        return f'<th scope="row">{escape(entry)}</th>'
    if entry is None:
        return "<td>–</td>"
    if isinstance(entry, int):
        return f"<td>{entry:,}</td>"
    return f"<td>{entry:.2f}</td>" if "correlation" in heading else f"<td>{100 * entry:.1f}%</td>"
