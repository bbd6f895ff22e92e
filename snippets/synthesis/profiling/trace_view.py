"""Drawings: what a trace says, as HTML for the page of chapter 35, in the same bytes from the build and the browser.

Every text is escaped: the names of kernels, and of files, are a stranger's.
"""

from __future__ import annotations

import functools
import gc
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby

from snippets.domain import each, shortened, text
from snippets.flops import flops_utilization
from snippets.hardware import ACCELERATORS, wide_peak_flops_per_s
from snippets.synthesis.profiling.traces import (
    StepBudget,
    Trace,
    TraceStep,
    read_trace,
    recorded_trace,
    step_budgets,
    step_segments,
    top_kernels,
    who_arrives_last,
)

MOST_STEPS = 30
MOST_FILES = 8
COLUMNS = 640
_LONGEST = 90
_PARTS = {  # part: how a budget calls it, its colour, what it is
    "matmul": ("matmul", "backward", "a matmul runs"),
    "attention": ("attention", "forward", "attention runs, and no matmul"),
    "other kernel": ("other kernels", "activations", "norms, activations, the optimizer: mostly bound by memory"),
    "communication": ("exposed communication", "communication", "something is exchanged, and nothing computes"),
    "memory": ("copies", "parameters", "copies run, and nothing computes or is exchanged"),
    "data": ("waiting for data", "optimizer", "the loop waits for its next batch"),
    "": ("idle", "idle", "nothing of this runs: launches come late, the host is busy, a pipeline waits"),
}
_KINDS = {"memory": "copies", "data": "waiting for data"}
_TITLES = {name: title for title, name in ((part, entry[0]) for part, entry in _PARTS.items())}


def trace_view(setting_json: str, texts: Sequence[str] = (), names: Sequence[str] = ()) -> str:
    """Return what the page shows of traces: what its worker calls.

    Args:
        setting_json: a mapping as JSON, all of it optional: ``rank`` and ``step``, from 0, which are shown; ``device``,
            a name in ``ACCELERATORS``; ``parameters`` and ``tokens`` of a step on one GPU, which say what it has to do.
        texts: the traces, one of each rank; those that the book has recorded where there are none.
        names: of the files.

    Returns:
        As JSON: ``{"errors": …}``; or besides the parts of the page as HTML, a sentence to be read out, and what can be
        chosen.

    Raises:
        ValueError: it is no JSON of a mapping.

    >>> json.loads(trace_view('{"step": "9"}'))["errors"]
    {'step': 'there are 6 steps, counted from 0, and you ask for 9'}
    """
    setting = _setting(setting_json)
    given, called = each("texts", texts, text), each("names", names, text)
    try:
        traces, labels = _traces(given, called)
        shown = _chosen(setting, traces)
        work = _work(setting)
    except _Refused as refused:
        return json.dumps({"errors": {refused.field: str(refused)}}, ensure_ascii=False)
    rank, step = shown
    trace = traces[rank]
    budgets = step_budgets(trace)
    answer = {
        "errors": {},
        "parts": {
            "summary": _summary(traces, labels, rank, step, budgets, recorded=not given),
            "step": _step(trace, step, budgets[step], work),
            "steps": _steps(trace, budgets, step),
            "kernels": _kernels(trace, step),
            "ranks": _ranks(traces, labels),
            "unread": _unread(trace, step),
        },
        "said": _spoken(trace.steps[step], budgets[step], labels[rank]),
        "ranks": list(labels),
        "steps": [_step_name(each_step) for each_step in trace.steps],
        "shown": {"rank": str(rank), "step": str(step)},
    }
    return json.dumps(answer, ensure_ascii=False)


class _Refused(ValueError):
    """What is wrong with a field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def _setting(written: str) -> dict[str, str]:
    given = text("setting_json", written)
    try:
        setting = json.loads(given)
    except (ValueError, RecursionError):
        setting = None
    if not isinstance(setting, dict):
        raise ValueError(f"setting_json must be JSON of a mapping, got {shortened(given)}")
    return {str(name): str(value).strip() for name, value in setting.items()}


@functools.lru_cache(maxsize=MOST_FILES)
def _read(written: str) -> Trace:
    sweeping = gc.isenabled()
    gc.disable()  # a large trace is read in half the time: nothing of its many small parts is garbage yet
    try:
        return read_trace(written)
    finally:
        if sweeping:
            gc.enable()


def _traces(texts: Sequence[str], names: Sequence[str]) -> tuple[list[Trace], list[str]]:
    """Return the traces in the order of their ranks, those that don't say theirs first; and what each is called."""
    if len(texts) > MOST_FILES:
        raise _Refused("file", f"at most {MOST_FILES} traces at a time, and these are {len(texts)}")
    found = list[tuple[Trace, str]]()
    for place, written in enumerate(texts or [recorded_trace(rank=rank) for rank in (0, 1)]):
        name = _short(names[place]) if place < len(names) else f"file {place + 1}"
        try:
            trace = _read(written)
        except ValueError as error:
            raise _Refused("file", f"{name}: {str(error).removeprefix('text ')}") from None
        for other, called in found:
            if trace.rank is not None and trace.rank == other.rank:
                raise _Refused("file", f"{called} and {name} are both of rank {trace.rank}: choose one of each rank")
        found.append((trace, name))
    found.sort(key=lambda entry: -1 if entry[0].rank is None else entry[0].rank)
    labels = [name if trace.rank is None else f"rank {trace.rank}" for trace, name in found]
    return [trace for trace, _ in found], labels


def _chosen(setting: Mapping[str, str], traces: Sequence[Trace]) -> tuple[int, int]:
    """Return which trace and which of its steps are shown: the step of median length unless one is named."""
    rank = _place("rank", setting.get("rank", "") or "0", len(traces), "ranks")
    steps = traces[rank].steps
    if setting.get("step"):
        return rank, _place("step", setting["step"], len(steps), "steps")
    ordered = sorted(range(len(steps)), key=lambda place: (steps[place].duration_s, place))
    return rank, ordered[(len(ordered) - 1) // 2]


def _place(field: str, written: str, count: int, of: str) -> int:
    if not written.isdecimal() or int(written) >= count:
        raise _Refused(field, f"there are {count} {of}, counted from 0, and you ask for {written[:20]}")
    return int(written)


def _work(setting: Mapping[str, str]) -> tuple[float, float, str] | None:
    """Return the FLOPs of a step, the peak, and the device's name; nothing where one of them is not said."""
    wanted = [setting.get(name, "") for name in ("device", "parameters", "tokens")]
    if not all(wanted):
        return None
    if wanted[0] not in ACCELERATORS:
        raise _Refused("device", f"there is no {wanted[0][:40]} in the catalogue")
    parameters, tokens = _number("parameters", wanted[1]), _number("tokens", wanted[2])
    return 6 * parameters * tokens, float(wide_peak_flops_per_s(wanted[0])), wanted[0]


def _number(field: str, written: str) -> float:
    """Return a number such as 8.03e9, 8,030,000,000, 8.03B or 8.03 billion."""
    plain = written.replace(",", "").replace(" ", "").lower()
    for ending, size in (("billion", 1e9), ("million", 1e6), ("b", 1e9), ("m", 1e6), ("k", 1e3), ("t", 1e12)):
        if plain.endswith(ending):
            plain, scale = plain.removesuffix(ending), size
            break
    else:
        scale = 1.0
    try:
        number = float(plain) * scale
    except ValueError:
        number = 0.0
    if not 0 < number < 1e18:
        raise _Refused(field, f"{field} must be a number above 0, such as 8.03e9 or 8.03B, got {written[:30]}")
    return number


def _step_name(step: TraceStep) -> str:
    return "the whole trace" if step.number is None else f"ProfilerStep#{step.number}"


def _time(seconds: float) -> str:
    """Return a time to three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= 0.9995 * size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds * 1e6)} µs"


def _digits(number: float) -> str:
    """Return a number to three digits, or to the last before the point."""
    return f"{number:,.{0 if number >= 99.95 else 1 if number >= 9.995 else 2}f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _plural(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def _name(name: str) -> str:
    """Return a stranger's name as HTML."""
    return escape(_short(name))


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of HTML; the first cell of each row is its heading."""
    first = "".join(f'<th scope="col">{head}</th>' if head else "<td></td>" for head in heads)
    lines = "".join(
        f'<tr><th scope="row">{head}</th>{"".join(cell if cell[:3] == "<td" else f"<td>{cell}</td>" for cell in cells)}'
        "</tr>"
        for head, *cells in rows
    )
    return (
        f'<div class="traces-table" role="region" aria-label="{caption}" tabindex="0"><table class="planner-parts">'
        f"<caption>{caption}</caption><thead><tr>{first}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _bar(begin: float, share: float, colour: str) -> str:
    """Return a cell with a bar that begins where the part before it ended."""
    begin, share = (min(1.0, max(0.0, value)) for value in (begin, share))
    style = f"margin-left:{100 * begin:.2f}%;width:{100 * min(share, 1 - begin):.2f}%;background:var(--{colour})"
    return f'<td class="planner-bar"><span style="{style}"></span></td>'


def _summary(
    traces: Sequence[Trace],
    labels: Sequence[str],
    rank: int,
    step: int,
    budgets: Sequence[StepBudget],
    *,
    recorded: bool,
) -> str:
    trace, budget = traces[rank], budgets[step]
    whose = "This is your trace"
    if len(traces) > 1:
        whose = (
            f"These are {'' if recorded else 'your '}{len(traces)} traces{' that this book has recorded' * recorded}"
        )
    count = sum(event.kind in _PARTS and event.kind != "data" for event in trace.events)
    counted = f"no kernels of a GPU, so {_plural(count, 'event')} of its CPU count"
    if trace.device == "GPU":
        counted = f"{_plural(count, 'kernel or copy', 'kernels and copies')} of a GPU"
    name = _step_name(trace.steps[step])
    largest = max(budget.parts.items(), key=lambda item: item[1])
    computing_s = budget.matmul_s + budget.attention_s + budget.other_kernel_s
    most = " Nothing in it takes any time."
    if budget.step_s:
        most = (
            f" Something computes for {_time(computing_s)} of it, {_percent(computing_s / budget.step_s)}. The largest"
            f" part: <strong>{largest[0]}</strong>, {_time(largest[1])}."
        )
    note = ""
    if trace.steps[step].number is None:
        note = "<p>It has no <code>ProfilerStep#…</code>, so all of it counts as one step.</p>"
    return (
        f"<p>{whose}. That of {_name(labels[rank])} has {_plural(len(trace.steps), 'step')}, and {counted}.</p>"
        f'<p class="planner-best"><strong>{_time(budget.step_s)}</strong> for {name} of'
        f" {_name(labels[rank])}.{most}</p>{note}"
    )


def _spoken(step: TraceStep, budget: StepBudget, label: str) -> str:
    parts = ", ".join(f"{name} {_time(spent)}" for name, spent in budget.parts.items() if spent > 0.005 * budget.step_s)
    return f"{label}, {_step_name(step)}: {_time(budget.step_s)}{', of which ' * bool(parts)}{parts}."


def _step(trace: Trace, step: int, budget: StepBudget, work: tuple[float, float, str] | None) -> str:
    rows, begin = [], 0.0
    for name, spent in budget.parts.items():
        share = spent / budget.step_s if budget.step_s else 0.0
        _, colour, meaning = _PARTS[_TITLES[name]]
        rows.append((f"{name}<small>{meaning}</small>", _bar(begin, share, colour), _time(spent), _percent(share)))
        begin += share
    rows.append(("in all", "<td></td>", _time(budget.step_s), _percent(begin)))
    all_s = budget.exposed_communication_s + budget.hidden_communication_s
    hidden = "<p>No communication runs in this step.</p>"
    if all_s:
        hidden = (
            f"<p>Communication runs for {_time(all_s)} in all: {_time(budget.hidden_communication_s)} while something"
            f" computes, which is hidden, and {_time(budget.exposed_communication_s)} exposed.</p>"
        )
    return (
        _timeline(trace, step, budget)
        + _table("Where the step's time goes", ("part", "", "time", "share"), rows)
        + hidden
        + (_utilization(budget, work) if work else "")
    )


def _timeline(trace: Trace, step: int, budget: StepBudget) -> str:
    """Return the step as a strip: each column has the colour of what takes most of its time."""
    length = trace.steps[step].duration_s
    if not length:
        return ""
    times = [dict.fromkeys(_PARTS, 0.0) for _ in range(COLUMNS)]
    for begin, end, part in step_segments(trace, step=step):
        a, b = begin / length * COLUMNS, end / length * COLUMNS
        for column in range(int(a), min(COLUMNS, int(b) + 1)):
            times[column][part] += max(0.0, min(b, column + 1) - max(a, column))
    kinds = []
    for spent in times:
        spent[""] = max(0.0, 1 - sum(spent.values()))
        kinds.append(max(_PARTS, key=lambda part: spent[part]))
    rects, at = [], 0
    for kind, run in groupby(kinds):
        width = len(list(run))
        if kind:
            rects.append(f'<rect x="{at}" y="2" width="{width}" height="26" fill="var(--{_PARTS[kind][1]})"/>')
        at += width
    said = ", ".join(f"{name} {_percent(spent / length)}" for name, spent in budget.parts.items() if spent)
    return (
        f'<figure class="traces-strip"><svg viewBox="0 0 {COLUMNS} 30" role="img" aria-label="The step from left to'
        f' right: {said}." preserveAspectRatio="none"><rect x="0" y="14" width="{COLUMNS}" height="2"'
        f' fill="var(--idle)"/>{"".join(rects)}</svg><figcaption>The step from its beginning to its end,'
        f" {_time(length)}. The colours are those of the table's bars; the line is idle time.</figcaption></figure>"
    )


def _utilization(budget: StepBudget, work: tuple[float, float, str]) -> str:
    flops, peak, device = work
    if not budget.step_s:
        return ""
    reached = flops_utilization(flops=flops, seconds=budget.step_s, devices=1, peak_flops_per_s=peak)
    busy = (budget.matmul_s + budget.attention_s) / budget.step_s
    if reached > busy:
        return (
            f'<p class="planner-reason">{_percent(reached)} of the peak of an {escape(device)} would be reached in the'
            f" whole step, and matmuls and attention run for {_percent(busy)} of it. So the numbers contradict one"
            " another: it is another device, another number format, or less work.</p>"
        )
    rows, left = [("the peak", _bar(0, 1, "muted"), "100.0%")], 1.0
    lost = {name: spent / budget.step_s for name, spent in budget.parts.items() if name not in ("matmul", "attention")}
    for name, share in reversed(lost.items()):
        left -= share
        if share:
            rows.append((f"− {name}", _bar(left, share, _PARTS[_TITLES[name]][1]), _percent(share)))
    slow = "− below the peak<small>while matmuls and attention run; recomputation too</small>"
    rows.append((slow, _bar(reached, busy - reached, "line"), _percent(busy - reached)))
    rows.append(("reached, the MFU", _bar(0, reached, "backward"), _percent(reached)))
    return _table(f"From the peak of an {escape(device)} to what is reached", ("", "", "of the peak"), rows)


def _steps(trace: Trace, budgets: Sequence[StepBudget], chosen: int) -> str:
    names = list(budgets[0].parts)
    unit, size = ("s", 1.0) if max(budget.step_s for budget in budgets) >= 1 else ("ms", 1e-3)
    rows = []
    for place, budget in enumerate(budgets[:MOST_STEPS]):
        name = _step_name(trace.steps[place])
        head = f"<strong>{name}</strong>" if place == chosen else name
        times = (budget.step_s, *(budget.parts[part] for part in names))
        rows.append((head, *(_digits(spent / size) for spent in times)))
    more = len(budgets) - MOST_STEPS
    note = f"<p>{_plural(more, 'more step')} not shown.</p>" if more > 0 else ""
    return _table(f"All steps, in {unit}", ("step", "in all", *names), rows) + note


def _kernels(trace: Trace, step: int) -> str:
    what = "kernel" if trace.device == "GPU" else "operator"
    rows = [
        (
            f"<code>{_name(kernel.name)}</code>",
            _KINDS.get(kernel.kind, kernel.kind) if kernel.recognised else f"{kernel.kind}, by no rule",
            f"{kernel.calls:,}",
            _time(kernel.total_s),
        )
        for kernel in top_kernels(trace, step=step, count=10)
    ]
    return _table(f"What takes most time in it, by the {what}'s name", (what, "counts as", "calls", "time"), rows)


def _ranks(traces: Sequence[Trace], labels: Sequence[str]) -> str:
    if len(traces) < 2:
        return "<p>Choose one trace of each rank, all at once, to see which rank the others wait for.</p>"
    try:
        late = who_arrives_last(traces)
    except ValueError as error:
        return f"<p>The ranks can't be compared: {escape(str(error))}.</p>"
    heads = ["step", "comes last", *(f"{_name(label)} waits" for label in labels)]
    rows = [
        (
            "all" if entry.number is None else f"ProfilerStep#{entry.number}",
            f"<strong>{_name(labels[entry.last])}</strong>",
            *(_time(wait) if wait else "0" for wait in entry.exposed_waits_s),
        )
        for entry in late[:MOST_STEPS]
    ]
    return _table("Whom the others wait for in the collectives, while nothing computes", heads, rows) + _unseen(traces)


def _unseen(traces: Sequence[Trace]) -> str:
    """Return what has to be said where the run has more ranks than there are traces, or where they don't say theirs."""
    there = max((trace.ranks or 0 for trace in traces), default=0)
    said = ""
    if there > len(traces):
        said = f" The run has {there:,} ranks, and these are {len(traces)}: another may come later still."
    if any(trace.rank is None for trace in traces):
        said += " Where a trace doesn't say its rank, it's called by its file."
    return f"<p>{said.strip()}</p>" if said else ""


def _unread(trace: Trace, step: int) -> str:
    unknown = [kernel for kernel in top_kernels(trace, step=step, count=100_000) if not kernel.recognised]
    lines = [f"<li>{count:,} {escape(what)}</li>" for what, count in trace.left_out.items()]
    if unknown:
        spent = _time(sum(kernel.total_s for kernel in unknown))
        names = ", ".join(f"<code>{_name(kernel.name)}</code>" for kernel in unknown[:3])
        lines.append(
            f"<li>{_plural(len(unknown), 'name')} that no rule knows, {spent} in all, counted as other kernels: {names}"
            f"{' …' * (len(unknown) > 3)}</li>"
        )
    if not lines:
        return "<p>Every event that could count was read, and every name was known to a rule.</p>"
    return f"<p>What was not read, or not known:</p><ul>{''.join(lines)}</ul>"
