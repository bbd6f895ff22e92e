"""Writes each exercise's command, place to solve it and hints into its page: ``python -m exercises.on_page``.

The graders hold the hints; the pages have a copy, folded, between an exercise's text and its solution, and a test
refuses a page whose copy is an old one. Running this twice changes nothing. An exercise that can be graded in a page
has a link to its stub, alone in its paragraph: the site puts an editor there.
"""

from __future__ import annotations

import re
from pathlib import Path

from exercises.catalogue import HOME, Chapter, chapters
from exercises.needs import needs

_SOLUTION = '<details markdown="1"><summary>Solution</summary>'
_MARKED = re.compile(
    r"^Level: \w+\. Grade it with `pytest [^`]+`\.\n\n"
    r"(?:\[Solve it here\]\([^\n]*\)\n\n|It needs [^\n]* an editor\.\n\n)?"
    r"(?:<details markdown=\"1\"><summary>Hint \d</summary>\n.*?</details>\n\n)*",
    re.MULTILINE | re.DOTALL,
)


def with_hints(text: str, chapter: Chapter) -> str:
    """Return a page's text with the command and the hints of each exercise, in place of those that it has."""
    head, heading, rest = _MARKED.sub("", text).partition("\n## Exercises\n")
    parts = re.split(r"(?=^### Exercise \d+ · |^## )", rest, flags=re.MULTILINE)
    return head + heading + "".join(_with_hints(part, chapter) for part in parts)


def _with_hints(part: str, chapter: Chapter) -> str:
    for name in re.findall(r'"include: (\w+)"', part):
        if name in chapter.exercises:
            return part.replace(_SOLUTION, _block(chapter, name) + _SOLUTION, 1)
    return part


def _block(chapter: Chapter, name: str) -> str:
    lines = [
        f"Level: {chapter.exercises[name].level}. Grade it with `{chapter.again(name)}`.\n\n",
        f"{_where(chapter, name)}\n\n",
    ]
    for number, hint in enumerate(chapter.exercises[name].hints, start=1):
        file, _, heading = hint.link.partition("#")
        link = f"#{heading}" if file == Path(chapter.page).name else hint.link
        text = f"{_escaped(hint.text)} ([where to read]({link}))"
        lines.append(f'<details markdown="1"><summary>Hint {number}</summary>\n\n{text}\n\n</details>\n\n')
    return "".join(lines)


def _where(chapter: Chapter, name: str) -> str:
    """Return the paragraph that says where an exercise can be solved."""
    if lacks := needs(chapter, name):
        packages = " and ".join(_PACKAGES.get(package, package) for package in sorted(lacks))
        notebook = f"[the chapter's notebook]({Path(chapter.page).stem}.ipynb)"
        return f"It needs {packages}, which this page does not have: solve it in {notebook} or an editor."
    return f'[Solve it here](../../exercises/{chapter.address}/stub.py "exercise: {name}")'


_PACKAGES = {"numpy": "NumPy"}


def _escaped(text: str) -> str:
    """Return plain text as Markdown that shows it.

    >>> _escaped("2 * n")
    '2 \\\\* n'
    """
    return re.sub(r"([\\`*_\[\]>$#{}])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def main() -> None:
    """Bring all pages up to date."""
    for chapter in chapters():
        page = HOME.parent / chapter.page
        text = page.read_text(encoding="utf-8")
        if (new := with_hints(text, chapter)) != text:
            page.write_text(new, encoding="utf-8")
            print(f"{chapter.page} has new hints")


if __name__ == "__main__":
    main()
