"""Drawings: an answer of the page Planner as HTML, in the same bytes from the build and from the browser's Python.

Every text is escaped: a setting may come from a stranger's link, and a model's name from a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from snippets.composition.configuration_search.planner_page import SYSTEMS, planned_page
from snippets.domain import text

PARTS = ("summary", "rows", "chosen", "refused", "run")
SHOWN_ROWS = 20
_ALIKE = "The model can't tell them apart."
_TERMS = {
    "compute": ("forward", "matmuls, attention and other kernels of the slowest stage"),
    "made again": ("backward", "what its layers drop and compute once more"),
    "bubble": ("idle", "the pipeline fills and drains"),
    "tensor": ("communication", "sums inside layers that nothing hides"),
    "context": ("communication", "keys and values of the other parts of a sequence"),
    "expert": ("communication", "tokens on their way to experts and back"),
    "pipeline": ("communication", "messages between stages"),
    "data": ("communication", "gradients, and weights that ZeRO gathers, as far as they stick out"),
    "optimizer": ("optimizer", "the update"),
}
_MEMORY = {
    "weights": ("parameters", "parameters in the precision of the matmuls"),
    "gradients": ("gradients", "of the rank's parameters"),
    "optimizer": ("optimizer", "master weights and two moments"),
    "activations": ("activations", "kept for the backward pass, at the peak"),
    "buffers": ("parameters", "layers that ZeRO has gathered"),
}
_KINDS = {
    "memory": "do not fit",
    "heads": "can't deal the heads",
    "layers": "can't deal the layers",
    "sequences": "can't deal the sequences",
    "sequence": "can't cut a sequence so",
    "experts": "can't deal the experts",
    "micro-batches": "have too few micro-batches",
    "GPUs": "can't deal the GPUs",
    "limits": "are outside your limits",
}


def planned_view(setting_json: str, quick: bool = False) -> str:
    """Return what the page shows of a setting: what its worker calls.

    Args:
        setting_json: a setting as ``planned_page`` takes it, as JSON.
        quick: as there.

    Returns:
        As JSON: ``{"errors": …}``; or besides the parts of the page as HTML, a sentence to be read out, what a link
        has to say, and the texts to be copied.

    Raises:
        ValueError: it is no JSON of a mapping.

    >>> planned_view('{"nodes": "0"}')
    '{"errors": {"nodes": "Nodes must be an integer of at least 1, got 0"}}'
    """
    try:
        setting = json.loads(text("setting_json", setting_json))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"setting_json must be JSON, got {setting_json[:60]!r}: {error}") from None
    answer = planned_page(setting, quick=quick)
    if answer["errors"]:
        return json.dumps({"errors": answer["errors"]}, ensure_ascii=False)
    shown = {
        "errors": {},
        "parts": answer_parts(answer),
        "said": spoken(answer),
        "changed": answer["changed"],
        "constants": said_of_constants(answer),
        "texts": answer["texts"],
    }
    return json.dumps(shown, ensure_ascii=False)


def answer_parts(answer: Mapping[str, Any]) -> dict[str, str]:
    """Return an answer as HTML, a text for each part of the page.

    Args:
        answer: what ``planned_page`` returns, without errors.
    """
    return {
        "summary": _summary(answer),
        "rows": _rows(answer),
        "chosen": _chosen(answer),
        "refused": _refused(answer),
        "run": _run(answer),
    }


def spoken(answer: Mapping[str, Any]) -> str:
    """Return the sentence that is read out when an answer comes.

    Args:
        answer: what ``planned_page`` returns, without errors.
    """
    counts, chosen = answer["counts"], answer["chosen"]
    if chosen.get("reason"):
        return f"{chosen['layout']}: {chosen['reason']}"
    if not answer["rows"]:
        return f"None of {counts['tried']:,} layouts can run."
    best = answer["rows"][0]
    fast = f"{best['layout']}, {_seconds(best['seconds'])} a step"
    said = f"{'So far ' * answer['quick']}{counts['fitting']:,} layouts fit. Fastest: {fast}."
    if chosen["rank"] != 1:
        said += f" Shown: {chosen['layout']}, {_seconds(chosen['seconds'])}."
    return said


def said_of_constants(answer: Mapping[str, Any]) -> dict[str, str]:
    """Return the matmuls' share of the peak that was counted with, and where it is from.

    Args:
        answer: what ``planned_page`` returns, without errors.
    """
    constants = answer["constants"]
    return {"matmul_share": _percent(constants["matmul_share"]), "source": constants["source"]}


def _seconds(seconds: float) -> str:
    """Return a time to three digits."""
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    if seconds >= 1:
        return f"{seconds:.3g} s" if seconds < 10 else f"{seconds:.1f} s"
    return f"{seconds * 1e3:.3g} ms"


def _in_table(seconds: float) -> str:
    return f"{seconds:,.1f}" if seconds >= 10 else f"{seconds:.2f}" if seconds >= 0.095 else f"{seconds:.3f}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _dollars(usd: float) -> str:
    """Return an amount as HTML to three digits; a bare dollar sign would begin a formula."""
    if usd >= 1e6:
        return f"&#36;{usd / 1e6:.3g} million"
    return f"&#36;{float(f'{usd:.3g}'):,.0f}" if usd >= 1 else f"&#36;{usd:.2f}"


def _days(days: float) -> str:
    return f"{days:,.0f}" if days >= 10 else f"{days:.2g}"


def _count(number: float) -> str:
    """Return a large count in words."""
    for name, size in (("trillion", 1e12), ("billion", 1e9), ("million", 1e6)):
        if number >= size:
            return f"{number / size:.3g} {name}"
    return f"{number:,.0f}"


def _plural(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _job_line(job: Mapping[str, Any]) -> str:
    name = escape(job["model"])
    return (
        f"{name}, {_count(job['parameters'])} parameters, on {job['gpus']:,} {escape(job['accelerator'])}"
        f" in {escape(job['dtype'])}: {job['batch_sequences']:,} sequences of {job['sequence']:,} tokens a step."
    )


def _summary(answer: Mapping[str, Any]) -> str:
    job, counts, rows = answer["job"], answer["counts"], answer["rows"]
    pieces = [f'<p class="planner-job">{_job_line(job)}</p>']
    if job["tokens"] != job["tokens_asked"]:
        pieces.append(
            f"<p>You asked for {job['tokens_asked']:,} tokens a step. {job['batch_sequences']:,} whole sequences have"
            f" {job['tokens']:,}, and these are counted.</p>"
        )
    if not rows:
        pieces.append(
            f"<p><strong>None of {'the first ' * answer['quick']}{counts['tried']:,} layouts can run.</strong> Below is"
            " why.</p>"
        )
        return "".join(pieces)
    best = rows[0]
    money = ""
    if best["days"]:
        money = f", {_days(best['days'])} days for {_count(job['run_tokens'])} tokens"
        money += f" and {_dollars(best['usd'])}" if best["usd"] else ""
    pieces.append(
        f'<p class="planner-best"><strong>{_seconds(best["seconds"])} a step</strong> with'
        f" <code>{escape(best['layout'])}</code>: MFU {_percent(best['mfu'])}, {best['memory_gb']:.0f} of"
        f" {job['memory_gb']:.0f} GB{money}.</p>"
    )
    pieces.append(f'<p class="planner-accuracy"><strong>How exact is that?</strong> {escape(answer["accuracy"])}</p>')
    return "".join(pieces)


def _columns(answer: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the table's columns: key, heading, unit that a phone shows behind the number."""
    job = answer["job"]
    columns = [
        ("keep", "made again", "made again"),
        ("seconds", "s a step", "s"),
        ("mfu", "MFU", "MFU"),
        ("memory_gb", f"GB of {job['memory_gb']:.0f}", "GB"),
    ]
    columns += [("days", "days", "days")] if job["run_tokens"] else []
    columns += [("usd", "price", "")] if job["run_tokens"] and job["usd_per_gpu_hour"] else []
    return columns


_KEEPS = {"none": "nothing", "selective": "scores", "some": "some", "full": "layers"}
_CELLS: Mapping[str, Callable[[Any], str]] = {
    "keep": lambda keep: _KEEPS[str(keep)],
    "seconds": _in_table,
    "mfu": lambda mfu: f"{100 * mfu:.1f}%",
    "memory_gb": lambda size: f"{size:.1f}",
    "days": _days,
    "usd": _dollars,
}


def _rows(answer: Mapping[str, Any]) -> str:
    if not answer["rows"]:
        return ""
    columns, counts = _columns(answer), answer["counts"]
    shown = [row for row in answer["rows"] if row["rank"] <= SHOWN_ROWS or row["distinct"]]
    heads = "".join(f'<th scope="col" role="columnheader">{title}</th>' for _, title, _ in columns)
    chosen = answer["chosen"].get("layout")
    near, far = ([row for row in shown if row["close"] is close] for close in (True, False))
    said = "No other layout comes within 10% of it."
    if counts["close"] > 1:
        said = f"{counts['close']:,} layouts come within 10% of the fastest. <strong>{_ALIKE}</strong>"
    line = f'<tr role="row" class="planner-line"><td role="cell" colspan="{len(columns) + 2}">{said}</td></tr>'
    bodies = f'<tbody role="rowgroup" class="close">{"".join(_row(row, columns, chosen) for row in near)}{line}</tbody>'
    if far:
        bodies += f'<tbody role="rowgroup">{"".join(_row(row, columns, chosen) for row in far)}</tbody>'
    listed = len(answer["rows"])
    fastest = f"the fastest {listed:,}" if counts["fitting"] > listed else "all of them"
    more = f"<p>{_plural(counts['fitting'], 'layout fits', 'layouts fit')} in all. The CSV has {fastest}.</p>"
    return (
        '<table class="planner-rows" role="table">'
        "<caption>The fastest layouts that fit. Press one to see where its time goes.</caption>"
        f'<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">rank</th>'
        f'<th scope="col" role="columnheader">layout</th>{heads}</tr></thead>{bodies}</table>{more}'
    )


def _row(row: Mapping[str, Any], columns: Sequence[tuple[str, str, str]], chosen: str | None) -> str:
    layout = escape(row["layout"])
    cells = "".join(f'<td role="cell" data-unit="{unit}">{_CELLS[key](row[key])}</td>' for key, _, unit in columns)
    pressed = "true" if row["layout"] == chosen else "false"
    button = f'<button type="button" data-layout="{layout}" aria-pressed="{pressed}">{escape(row["cut"])}</button>'
    kinds = " ".join(["distinct"] * row["distinct"] + ["beyond"] * (row["rank"] > SHOWN_ROWS))
    begin = f'<tr role="row" class="{kinds}">' if kinds else '<tr role="row">'
    return f'{begin}<td role="cell">{row["rank"]}</td><th scope="row" role="rowheader">{button}</th>{cells}</tr>'


def _chosen(answer: Mapping[str, Any]) -> str:
    chosen, job = answer["chosen"], answer["job"]
    if not chosen:
        return "<p>No layout fits, so there is none to look at. Type one to see by how much it misses.</p>"
    name = f"<code>{escape(chosen['layout'])}</code>"
    reason = f'<p class="planner-reason"><strong>{escape(chosen["reason"])}</strong></p>' if chosen["reason"] else ""
    if "terms" not in chosen:
        return f"<p>{name}</p>{reason}"
    place = f"{name} is number {chosen['rank']} of the list" if chosen["rank"] else f"{name} is not in the list"
    behind = f", {_percent(chosen['slower'])} slower than the fastest" if chosen["slower"] > 0.0005 else ""
    rate = f"{chosen['tokens_per_s_per_gpu']:,.0f} tokens a second and GPU"
    dropped = ""
    if chosen["dropped"]:
        dropped = f"<p>Every layer drops and makes again: {escape(', '.join(chosen['dropped']))}.</p>"
    times = _bars(f"A step: {_seconds(chosen['seconds'])}", "s", chosen["terms"], _TERMS, chosen["seconds"], _in_table)
    filled = f"The fullest GPU: {chosen['memory_gb']:.1f} GB of the {job['room_gb']:.0f} that may be filled"
    memory = _bars(
        filled, "GB", chosen["memory"], _MEMORY, max(job["room_gb"], chosen["memory_gb"]), lambda size: f"{size:.1f}"
    )
    return f'<p>{place}{behind}: {rate}.</p>{reason}{dropped}<div class="planner-bars">{times}{memory}</div>'


def _bars(
    title: str, unit: str, sizes: Mapping[str, float], about: Mapping[str, tuple[str, str]], most: float, write: Any
) -> str:
    """Return a table of parts, each with a bar of its share; what is nothing is left out."""
    lines = []
    for name, size in sizes.items():
        if size <= 0:
            continue
        colour, meaning = about[name]
        share = 100 * size / most
        lines.append(
            f'<tr><th scope="row">{name}<small>{meaning}</small></th><td class="planner-bar"><span'
            f' style="width:{share:.1f}%;background:var(--{colour})"></span></td><td>{write(size)}</td>'
            f"<td>{share:.0f}%</td></tr>"
        )
    return (
        f'<table class="planner-parts"><caption>{title}</caption><thead><tr><th scope="col">what</th><td></td>'
        f'<th scope="col">{unit}</th><th scope="col">share</th></tr></thead><tbody>{"".join(lines)}</tbody></table>'
    )


def _refused(answer: Mapping[str, Any]) -> str:
    counts = answer["counts"]
    if not answer["refused"]:
        return f"<p>All {counts['tried']:,} layouts that your limits allow can run.</p>"
    lines = "".join(_refusals(kind) for kind in answer["refused"])
    return (
        f"<p>{_plural(counts['tried'], 'layout was', 'layouts were')} tried and {counts['fitting']:,} can run. The"
        f' others, by the first reason that rules each of them out:</p><ul class="planner-refused">{lines}</ul>'
    )


def _refusals(kind: Mapping[str, Any]) -> str:
    name = escape(_KINDS.get(kind["kind"], kind["kind"]))
    examples = "".join(f"<li><code>{escape(where)}</code>: {escape(reason)}</li>" for where, reason in kind["examples"])
    return f"<li><strong>{kind['count']:,}</strong> {name}, for example<ul>{examples}</ul></li>"


def _run(answer: Mapping[str, Any]) -> str:
    texts, flags = answer["texts"], answer["chosen"].get("flags", {})
    shown = [*((f"{system}", flags[system]) for system in SYSTEMS if system in flags)]
    shown += [("The same plan in a terminal", texts["command"]), ("The same plan in Python", texts["python"])]
    return "".join(
        f'<details class="planner-text"><summary>{name}</summary><pre><code>{escape(written.rstrip(), quote=False)}'
        "</code></pre></details>"
        for name, written in shown
    )
