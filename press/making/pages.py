"""A page that no file holds: the press writes it from code, docstrings or other pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """Where a written page stands, which file to edit instead, its Markdown, and its name in the navigation."""

    path: str
    source: str
    text: str
    title: str
