"""Formulas: an answer to a task of the exam, judged by the planner: points, what is wrong, and the best there is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from snippets.composition.configuration_search.planner import DAY_S, Plan
from snippets.composition.configuration_search.written_layouts import WrittenLayout, layout_line, read_layout
from snippets.composition.failures.formulas import checkpoint_bytes, exact_checkpoint_interval_s
from snippets.domain import Answers, integer_at_least, of_kind, positive_number, text
from snippets.foundations.economics.formulas import goodput_share
from snippets.models import parameter_count
from snippets.synthesis.conclusion.exam_answers import ExamAnswer, ImpossibleAnswer, one_line, plain_reason, read_answer
from snippets.synthesis.conclusion.exam_layouts import (
    Change,
    ExamJob,
    best_plan,
    exam_plan,
    layout_parts,
    lost_seconds,
    single_changes,
)
from snippets.synthesis.conclusion.exam_mistakes import (
    MOST_NAMED,
    NamedMistake,
    largest_loss,
    layout_mistakes,
    memory_mistake,
    pair_mistake,
)
from snippets.synthesis.conclusion.exam_tasks import NEAR, PREDICTED_WITHIN, TASK_POINTS, ExamTask

LEAST_POINTS = 2  # of an answer that keeps to all limits, however slow
LATE_WITHIN = 0.10  # beyond the term: there the points of an answer have fallen to 0
HALF = 0.5  # of what the best single change saves
_PER_POINT = 0.03
_FAR_OFF = 0.01  # of the time: an interval that loses more than the best one does is named
_PARTS = {"binds": 4, "one change": 4, "prediction": 6, "gain": 6}
_READS = {"axes": 25, "heads": 17, "layers": 18, "sequences": 16, "sequence": 19, "experts": 20}


@dataclass(frozen=True)
class ExamVerdict(Answers):
    """What is said of an answer.

    Attributes:
        points: from 0 to 20.
        said: the result in a sentence or two.
        mistakes: what is wrong, the worst first.
        ratio: what the answer costs over the planner's best, where it keeps to all limits; else ``None``.
        graded: whether it was an answer that the planner could judge.

    >>> ExamVerdict(20, "Solved.", ()).solved
    True
    """

    points: int
    said: str
    mistakes: tuple[NamedMistake, ...]
    ratio: float | None = None
    graded: bool = True

    @property
    def solved(self) -> bool:
        """Whether the answer has all points.

        >>> ExamVerdict(19, "Nearly.", ()).solved
        False
        """
        return self.points == TASK_POINTS


def cost_points(ratio: float) -> int:
    """Return the points of an answer that keeps to all limits and costs more than the best.

    Args:
        ratio: its cost over that of the planner's best.

    Returns:
        20 up to 10% above the best, then one less for each 3%, and 2 at the least.

    Source: a convention of this book.
    Leaves out: nothing.

    Example:
        >>> [cost_points(ratio) for ratio in (1.0, 1.1, 1.12, 1.5, 4.0)]
        [20, 20, 19, 6, 2]
    """
    beyond = positive_number("ratio", ratio) - 1 - NEAR
    lost = math.ceil(min(beyond / _PER_POINT, float(TASK_POINTS)) - 1e-9) if beyond > 1e-12 else 0
    return max(LEAST_POINTS, TASK_POINTS - lost)


def judged_answer(task: ExamTask, answer: str) -> ExamVerdict:
    """Return what an answer to a task of the exam is worth, and what is wrong with it.

    Args:
        task: the task.
        answer: any text.

    Returns:
        The verdict; a text that is no answer has no points, and a sentence that says what is allowed.

    Source: ``plan``, ``layout_plan``; ``goodput_share`` for failures.
    Convention: mistakes are named where an answer has not all points.
    Leaves out: how the answer was found.

    Example:
        >>> from snippets.synthesis.conclusion.exam_tasks import exam_tasks
        >>> judged_answer(exam_tasks(1)[0], "t=3").points
        0
    """
    of_kind("task", task, ExamTask)
    line = one_line(text("answer", answer))
    if not line:
        return ExamVerdict(0, "No answer yet.", (), graded=False)
    try:
        read = read_answer(task, line)
    except ValueError as error:
        said = "It can't run." if isinstance(error, ImpossibleAnswer) else "It can't be read."
        return ExamVerdict(0, said, (_unreadable(error),), graded=False)
    try:
        found = exam_plan(read.job, read.written.layout, keep=read.written.keep)
    except ValueError as error:
        if task.kind != "repair":
            return ExamVerdict(0, "It can't run.", (_unreadable(error),), graded=False)
        read = replace(read, written=_start_written(task), unread=(*read.unread, ("layout", str(error))))
        found = _start(task)
    judge = {"deadline": _deadline, "repair": _repair}.get(task.kind, _layout)
    return judge(task, read, found)


def best_answer(task: ExamTask) -> str:
    """Return the planner's best answer to a task, in the form in which answers are written.

    Args:
        task: the task.

    Returns:
        The answer; of the repair, the best single change.

    Source: the planner's search; of a deadline, the cheapest rent whose best layout ends in time.
    Convention: the first of equal ones.
    Leaves out: for deadlines, layouts with a context axis, ZeRO's stage 2, and more than four sequences at a time.

    Example:
        >>> from snippets.synthesis.conclusion.exam_tasks import exam_tasks
        >>> judged_answer(exam_tasks(1)[0], best_answer(exam_tasks(1)[0])).points
        20
    """
    of_kind("task", task, ExamTask)
    if task.kind == "deadline":
        found, interval_s, _ = _cheapest(task)
        device = found.job.cluster.machine.name.split()[-1]
        line = layout_line(found.layout, keep=found.keep)
        return f"device={device} nodes={found.job.cluster.nodes} {line} interval={interval_s / 60:.0f}min"
    if task.kind == "repair":
        change = _best_change(task)
        keep = str(change.value) if change.axis == "recompute" else _start_written(task).keep
        line = layout_line(change.plan.layout, keep=keep)
        return f"binds={_binding(task)} {line} step={change.plan.total_s:.3g}s"
    found = best_plan(task.job)
    return layout_line(found.layout, keep=found.keep)


def solution_lines(task: ExamTask, answer: str = "") -> tuple[str, ...]:
    """Return the planner's best answer to a task, and how another compares with it.

    Args:
        task: the task.
        answer: an answer to compare, if any.

    Returns:
        Lines of text.

    Source: ``best_answer``.
    Leaves out: why.

    Example:
        >>> from snippets.synthesis.conclusion.exam_tasks import exam_tasks
        >>> solution_lines(exam_tasks(1)[0])[0].startswith("The planner's best: t=")
        True
    """
    best = best_answer(of_kind("task", task, ExamTask))
    lines = [f"The planner's best: {best}", judged_answer(task, best).said]
    mine = one_line(text("answer", answer))
    if mine and mine.casefold() != best.casefold():
        lines += [f"Yours: {mine}", judged_answer(task, mine).said]
    return tuple(lines)


# ------------------------------------------------------------------------------------------ layouts


def _unreadable(error: ValueError) -> NamedMistake:
    """Return why an answer cannot run or be read, with the chapter that its subject is in."""
    sentence = str(error)
    first = sentence.split(" must ")[0].split()[-1:] or [""]
    subject = {"d": "axes", "batch_sequences": "sequences", "expert": "experts", "layers": "layers", "stages": "layers"}
    word = subject.get(first[0], first[0])
    if "p × c" in sentence:
        word = "axes"
    elif "heads" in sentence:
        word = "heads"
    names = {"axes": "axes that don't make up the GPUs", "heads": "heads that can't be dealt"}
    names |= {"layers": "layers that can't be dealt", "sequences": "a batch that can't be dealt"}
    names |= {"sequence": "a sequence that can't be cut", "experts": "experts that can't be dealt"}
    said = plain_reason(error)[:MOST_SAID]
    return NamedMistake(names.get(word, "not an answer"), f"Not possible here: {said}.", _READS.get(word, 29))


MOST_SAID = 300


def _held(found: Plan) -> str:
    return f"{found.memory.total / 1e9:.1f} of {found.job.limit_bytes / 1e9:.1f} GB"


def _above(ratio: float) -> str:
    """Return how a cost compares with the best, in words."""
    if ratio <= 1 + 5e-4:
        return (
            "no longer than the planner's best" if ratio > 1 - 5e-4 else "shorter than the best that the planner found"
        )
    return f"{ratio - 1:.1%} longer than the planner's best"


def _layout(task: ExamTask, read: ExamAnswer, found: Plan) -> ExamVerdict:
    if not found.fits:
        return ExamVerdict(0, f"It doesn't fit: {_held(found)}.", (memory_mistake(found),))
    ratio = found.total_s / best_plan(task.job).total_s
    points = cost_points(ratio)
    said = f"It fits, {_held(found)}, and a step takes {found.total_s:.2f} s, {_above(ratio)}."
    return ExamVerdict(points, said, _slow(read, found) if points < TASK_POINTS else (), ratio)


def _slow(read: ExamAnswer, found: Plan) -> tuple[NamedMistake, ...]:
    named = _layout_mistakes(read)
    if named:
        return named
    again = found.step.compute - exam_plan(read.job, read.written.layout, keep="none").step.compute
    return (largest_loss(found, again_s=max(0.0, again)),)


def _layout_mistakes(read: ExamAnswer) -> tuple[NamedMistake, ...]:
    """Return what one change would undo; where none would, what two sizes together would."""
    layout, keep = read.written.layout, read.written.keep
    pair = pair_mistake(read.job, layout, keep=keep)
    return (*([pair] if pair else []), *layout_mistakes(read.job, layout, keep=keep))[:MOST_NAMED]


# ------------------------------------------------------------------------------------------ deadlines


def _checkpoint_s(task: ExamTask) -> float:
    assert task.deadline is not None
    return checkpoint_bytes(parameter_count(task.job.model)) / task.deadline.storage_bytes_per_s


def _mtbf_s(task: ExamTask, nodes: int) -> float:
    assert task.deadline is not None
    return task.deadline.node_mtbf_days * DAY_S / nodes


def _interval_s(task: ExamTask, nodes: int) -> float:
    """Return the best interval, in whole minutes."""
    best = exact_checkpoint_interval_s(checkpoint_s=_checkpoint_s(task), mtbf_s=_mtbf_s(task, nodes))
    return 60.0 * max(1, round(best / 60))


def _goodput(task: ExamTask, nodes: int, interval_s: float) -> float:
    """Return the share of the time for which a run moves on; 0 where that is too small for a float."""
    assert task.deadline is not None
    try:
        return goodput_share(
            interval_s=interval_s,
            checkpoint_s=_checkpoint_s(task),
            restart_s=task.deadline.restart_s,
            mtbf_s=_mtbf_s(task, nodes),
        )
    except ValueError:
        return 0.0


def _calm_days(task: ExamTask, found: Plan) -> float:
    """Return the days of a run in which nothing fails and nothing is saved."""
    assert task.deadline is not None
    return found.step.run_s(task.deadline.run_tokens) / DAY_S


def _rent_usd(task: ExamTask, job: ExamJob) -> float:
    assert task.deadline is not None
    return dict(task.deadline.usd_per_gpu_hour)[job.node_name] * job.cluster.gpus * task.deadline.days * 24


@lru_cache(maxsize=32)
def _cheapest(task: ExamTask) -> tuple[Plan, float, float]:
    """Return the cheapest rent on which the best layout ends in time: its plan, interval and dollars."""
    terms = task.deadline
    assert terms is not None
    own = task.job
    offers = [
        ExamJob(own.model_name, node, count, own.sequence, own.batch_sequences)
        for node, _ in terms.usd_per_gpu_hour
        for count in terms.nodes
    ]
    for job in sorted(offers, key=lambda job: _rent_usd(task, job)):
        try:
            found = best_plan(job, narrow=True)
        except ValueError:
            continue  # nothing fits on so few
        interval_s = _interval_s(task, job.nodes)
        if _calm_days(task, found) <= terms.days * _goodput(task, job.nodes, interval_s):
            return found, interval_s, _rent_usd(task, job)
    raise ValueError(f"task must be one that can be solved, got {task!r}")


def _deadline(task: ExamTask, read: ExamAnswer, found: Plan) -> ExamVerdict:
    terms = task.deadline
    assert terms is not None
    if not found.fits:
        return ExamVerdict(0, f"It doesn't fit: {_held(found)}.", (memory_mistake(found),))
    nodes, calm, usd = read.job.nodes, _calm_days(task, found), _rent_usd(task, read.job)
    share = _goodput(task, nodes, read.interval_s)
    elapsed = calm / share if share > 0 else math.inf
    ratio = usd / _cheapest(task)[2]
    rent = f"{float(f'{usd:.3g}'):,.0f} dollars"
    days = f"{elapsed:,.1f} days" if elapsed < 1e5 else "more than 100,000 days"
    wrong = _interval_mistakes(task, read, share)
    if elapsed > terms.days:
        said = f"It fits, and the run takes {days}; the term is {terms.days:g} days."
        few = _too_few(task, read, found)
        slow = () if few else _layout_mistakes(read)
        late = (*few, _late(task, nodes, calm, elapsed, bool(wrong)), *wrong, *slow)
        return ExamVerdict(late_points(min(elapsed / terms.days, 2.0), cost_points(ratio)), said, late[:3])
    points = cost_points(ratio)
    more = "as cheap as the planner's best" if ratio <= 1 + 5e-4 else f"{ratio - 1:.0%} above the planner's best"
    if ratio < 1 - 5e-4:
        more = "cheaper than the best that the planner found"
    said = f"The run takes {days} of the {terms.days:g}, and the rent is {rent}, {more}."
    named = (*_dear(task, read), *wrong) if points < TASK_POINTS else ()
    return ExamVerdict(points, said, named[:3], ratio)


def late_points(lateness: float, points: int) -> int:
    """Return what is left of an answer's points where its run ends too late.

    Args:
        lateness: its days over those of the term, above 1.
        points: what its rent alone would have, at least 0.

    Returns:
        At most 19, falling evenly to 0 where it is 10% late.

    Source: a convention of this book.
    Leaves out: nothing.

    Example:
        >>> [late_points(lateness, 20) for lateness in (1.001, 1.02, 1.05, 1.1)]
        [19, 16, 10, 0]
    """
    left = 1 - (min(positive_number("lateness", lateness), 1 + LATE_WITHIN) - 1) / LATE_WITHIN
    most = min(integer_at_least("points", points, 0), TASK_POINTS - 1)
    return max(0, min(most, math.floor(points * left + 1e-9)))


def _too_few(task: ExamTask, read: ExamAnswer, found: Plan) -> tuple[NamedMistake, ...]:
    """Return that on these nodes no layout ends in time, by a search over all of them, if it is so."""
    terms, nodes = task.deadline, read.job.nodes
    assert terms is not None
    fastest = min(_calm_days(task, found), _calm_days(task, best_plan(read.job)))
    share = _goodput(task, nodes, _interval_s(task, nodes))
    if fastest <= terms.days * share:
        return ()
    least = f"{fastest / share:,.1f} days" if share > 0 else "no end"
    said = f"No layout that the planner knows ends in time on these {nodes} nodes: the fastest takes {least}."
    return (NamedMistake("nodes on which no layout ends in time", said, 29),)


def _late(task: ExamTask, nodes: int, calm: float, elapsed: float, far_off: bool) -> NamedMistake:
    """Return why a run ends too late: itself, failures, or how often it is saved."""
    terms = task.deadline
    assert terms is not None
    if calm > terms.days:
        return NamedMistake("too late", f"Even without failures it would take {calm:.1f} days.", 29)
    fails = f"On {nodes} nodes something fails every {terms.node_mtbf_days * 24 / nodes:.0f} hours."
    best = calm / _goodput(task, nodes, _interval_s(task, nodes))
    if best <= terms.days:
        said = f"With a better interval between checkpoints the same layout would end in time. {fails}"
        return NamedMistake("late by its interval", said, 28)
    if far_off:
        said = f"Without failures and checkpoints it would take {calm:.1f} days and end in time. {fails}"
        return NamedMistake("failures forgotten", said, 28)
    said = (
        f"Failures and checkpoints cost {elapsed - calm:.1f} days. Without them it would end in time, after {calm:.1f}."
    )
    return NamedMistake("no room for failures", said, 28)


def _span(seconds: float) -> str:
    """Return a time in the unit in which it is read most easily."""
    for unit, size, most in (("second", 1.0, 100), ("minute", 60.0, 100), ("hour", 3600.0, 100)):
        if seconds < most * size:
            count = f"{seconds / size:.2g}" if seconds < 10 * size else f"{seconds / size:.0f}"
            return f"{count} {unit}{'' if count == '1' else 's'}"
    return f"{seconds / DAY_S:,.0f} days"


def _predicted(seconds: float) -> str:
    """Return a predicted step in the unit in which it is read most easily, to three digits."""
    if seconds < 1e-3:
        return "less than 1 ms"
    return _span(seconds) if seconds >= 100 else f"{seconds:.3g} s" if seconds >= 0.1 else f"{1e3 * seconds:.3g} ms"


def _interval_mistakes(task: ExamTask, read: ExamAnswer, share: float) -> tuple[NamedMistake, ...]:
    best = _interval_s(task, read.job.nodes)
    lost = _goodput(task, read.job.nodes, best) - share
    if lost < _FAR_OFF:
        return ()
    cost = f"costs {lost:.0%} of the time more than it has to"
    if read.interval_s < best:
        return (
            NamedMistake(
                "checkpoints too often",
                f"A checkpoint takes {_span(_checkpoint_s(task))}, and one every {_span(read.interval_s)} {cost}.",
                28,
            ),
        )
    sentence = f"A failure loses about half of {_span(read.interval_s)} of work: that {cost}."
    if read.interval_s > _mtbf_s(task, read.job.nodes):
        sentence = (
            f"An interval of {_span(read.interval_s)} is longer than the cluster runs, on average,"
            f" until something fails."
        )
    return (NamedMistake("checkpoints too rarely", sentence, 28),)


def _dear(task: ExamTask, read: ExamAnswer) -> tuple[NamedMistake, ...]:
    """Return why a rent is higher than it has to be: too many nodes, or the other kind."""
    best, _, _ = _cheapest(task)
    if best.job.cluster.machine.name != read.job.node_name:
        return (NamedMistake("the other device", "The same run would cost less on the other kind of node.", 6),)
    return (
        NamedMistake(
            "paid for waiting",
            f"Fewer nodes of this kind would end in time too: you pay for {read.job.nodes} whether they work or not.",
            6,
        ),
    )


# ------------------------------------------------------------------------------------------ repairs


def _start_written(task: ExamTask) -> WrittenLayout:
    return read_layout(task.layout, gpus=task.job.cluster.gpus)


def _start(task: ExamTask) -> Plan:
    layout, keep = _start_written(task)
    return exam_plan(task.job, layout, keep=keep)


def _binding(task: ExamTask) -> str:
    """Return the invariant that holds up the layout of a repair, as the task defines it."""
    layout, keep = read_layout(task.layout, gpus=task.job.cluster.gpus)
    if not exam_plan(task.job, layout, keep=keep).fits:
        return "memory"
    lost = lost_seconds(task.job, layout, keep=keep)
    return max(lost, key=lambda name: lost[name])


def _best_change(task: ExamTask) -> Change:
    layout, keep = _start_written(task)
    return min(single_changes(task.job, layout, keep=keep), key=lambda change: change.plan.total_s)


def _repair(task: ExamTask, read: ExamAnswer, found: Plan) -> ExamVerdict:
    start, (layout, keep) = _start(task), read_layout(task.layout, gpus=task.job.cluster.gpus)
    before = layout_parts(layout, keep=keep)
    after = layout_parts(read.written.layout, keep=read.written.keep)
    changed = [name for name in before if before[name] != after[name]]
    one, wrong = len(changed) == 1, []
    right = {"binds": read.binds == _binding(task), "one change": one}
    unread = dict(read.unread)
    wrong += [_unreadable(ValueError(reason)) for reason in unread.values()]
    if not right["binds"] and "binds" not in unread:
        wrong.append(_not_binding(task, read.binds, start))
    if "layout" in unread:
        points = _PARTS["binds"] if right["binds"] else 0
        said = f"The changed layout can't be read, or can't run. {_parted({'binds': right['binds']})}"
        return ExamVerdict(points, said, tuple(wrong), graded=False)
    if not changed:
        wrong.append(NamedMistake("nothing changed", "This is the layout that is to be repaired.", 29))
    elif not one:
        sentence = f"It changes {' and '.join([', '.join(changed[:-1]), changed[-1]])}. One change was asked for."
        wrong.append(NamedMistake("more than one change", sentence, 29))
    off = read.step_s / found.total_s - 1
    right["prediction"] = one and found.fits and abs(off) <= PREDICTED_WITHIN
    if changed and "step" not in unread and abs(off) > PREDICTED_WITHIN:
        wrong.append(_misjudged(read, start, found, off))
    best = _best_change(task).plan
    right["gain"] = one and found.fits and _gains(start, found, best)
    if not found.fits:
        wrong.append(memory_mistake(found))
    elif one and not right["gain"]:
        wrong.append(_little(start, found, best))
    points = sum(worth for part, worth in _PARTS.items() if right[part])
    fits = f"It fits, {_held(found)}, and" if found.fits else f"It doesn't fit, {_held(found)}, and"
    said = f"{fits} a step takes {found.total_s:.2f} s by the planner"
    said += "." if "step" in unread else f"; you predicted {_predicted(read.step_s)}."
    ratio = found.total_s / best.total_s if right["gain"] else None
    return ExamVerdict(points, f"{said} {_parted(right)}", tuple(wrong), ratio)


def _parted(right: dict[str, bool]) -> str:
    """Return the points of a repair, part by part."""
    points = {part: worth if right.get(part) else 0 for part, worth in _PARTS.items()}
    parts = ", ".join(f"{part} {points[part]} of {worth}" for part, worth in _PARTS.items())
    return f"{sum(points.values())} of {TASK_POINTS} points: {parts}."


def _gains(start: Plan, found: Plan, best: Plan) -> bool:
    """Return whether a change is good enough: half of what the best saves; where memory bound, within 10% of the"
    " best."""
    if not start.fits:
        return found.total_s <= (1 + NEAR) * best.total_s
    return start.total_s - found.total_s >= HALF * (start.total_s - best.total_s)


def _not_binding(task: ExamTask, named: str, start: Plan) -> NamedMistake:
    if named == "memory":
        return NamedMistake("not what binds", f"Memory doesn't bind: the layout fits, {_held(start)}.", 21)
    if not start.fits:
        return NamedMistake("not what binds", "The step may be slow too, but another limit comes first.", 21)
    layout, keep = read_layout(task.layout, gpus=task.job.cluster.gpus)
    lost = lost_seconds(task.job, layout, keep=keep)[named] / start.total_s
    return NamedMistake("not what binds", f"Only {lost:.0%} of the step is lost to {named}.", 26)


def _misjudged(read: ExamAnswer, start: Plan, found: Plan, off: float) -> NamedMistake:
    if abs(read.step_s / start.total_s - 1) < 0.02:
        sentence = "The seconds are those of the layout before the change."
    else:
        way = f"{off + 1:,.0f} times" if off > 1 else f"{abs(off):.0%} {'more' if off > 0 else 'less'} than"
        sentence = f"{_predicted(read.step_s)} are {way} the {found.total_s:.2f} s of the planner."
    return NamedMistake("prediction off", sentence, 26)


def _little(start: Plan, found: Plan, best: Plan) -> NamedMistake:
    if not start.fits:
        longer = found.total_s / best.total_s - 1
        sentence = f"It fits now, but a step takes {longer:.0%} longer than after the best single change."
        return NamedMistake("a costly repair", sentence, 29)
    if found.total_s >= start.total_s:
        return NamedMistake("slower than before", f"Before the change a step took {start.total_s:.2f} s.", 29)
    saved = 1 - found.total_s / start.total_s
    return NamedMistake(
        "a small gain", f"It saves {saved:.0%}. Another single change saves more than twice as much.", 29
    )
