"""A page of feedback for one submission, to hand out: one file of HTML that runs nothing and asks no host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from grader.assignment import span
from grader.cleaning import clean
from grader.lateness import Change

MOST_LATE = 20  # files that are listed
_WORDS = {"solved": "solved", "wrong": "not yet right", "open": "not handed in"}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid; padding: .5rem 0; }
dt { font-weight: bold; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; white-space: pre-wrap; }
"""


def feedback_page(report: Mapping[str, Any], deadline: datetime | None = None, late: Sequence[Change] = ()) -> str:
    """Return a submission's page: of each exercise what was asked, the verdict, and what its author is told.

    Args:
        report: the submission's report.
        deadline: the assignment's, if it has one.
        late: what was changed after it.

    Returns:
        HTML, in which every text of the report is escaped.
    """
    title = f"Feedback: {report['submission']}"
    rows = report["exercises"]
    solved = sum(row["status"] == "solved" for row in rows)
    said = [f"{solved} of {len(rows)} exercises solved, {report['score']:g} of {report['possible']:g} points."]
    said += [f"Due {deadline.isoformat(' ', 'minutes')}."] if deadline else []
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
            f"<h1>{_text(title)}</h1>",
            *(f"<p>{_text(sentence)}</p>" for sentence in said),
            *_of_late(deadline, late),
            *map(_of_exercise, rows),
            "</body></html>",
            "",
        ]
    )


def _of_late(deadline: datetime | None, late: Sequence[Change]) -> list[str]:
    if deadline is None or not late:
        return []
    entries = [
        f"{change.file}: {change.when.isoformat(' ', 'minutes')}, {span(change.when - deadline)} late, "
        f"as the {change.said_by} says"
        for change in late[:MOST_LATE]
    ]
    entries += [f"and {len(late) - MOST_LATE} more"] if len(late) > MOST_LATE else []
    return ["<p>Changed after that:</p>", "<ul>", *(f"<li>{_text(entry)}</li>" for entry in entries), "</ul>"]


def _of_exercise(row: Mapping[str, Any]) -> str:
    told = [("asked", row["asked"])]
    if row["status"] == "wrong":
        told += [("input", row["input"]), ("expected", row["expected"]), ("got", row["got"])]
        told += [("what went wrong", row["says"]), ("over all inputs", row["pattern"])]
    terms = "".join(f"<dt>{label}</dt><dd>{_text(words)}</dd>" for label, words in told if words)
    verdict = f"{_WORDS[row['status']]}, {row['score']:g} of {row['weight']:g}"
    name = f"{row['chapter']} · {row['exercise']}"
    return f"<section><h2>{_text(name)}</h2><p><strong>{verdict}</strong></p><dl>{terms}</dl></section>"


def _text(words: str) -> str:
    """Return a text as HTML shows it, whoever wrote it."""
    return escape(clean(words))
