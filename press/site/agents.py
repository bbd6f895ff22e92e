"""What the site has for programs that read it: ``llms.txt``, and a skill by which coding agents quote formulas.

The skill is made from the quick reference: its questions, and for each function that stands below one what its
docstring says, with the docstring's example executed here. What an agent loads at once is ``SKILL.md``; the formulas
themselves, with their symbols, lie beside it. The forms are those of https://llmstxt.org and https://agentskills.io.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from press.site.collected import lists_asked
from press.site.reference import shown_example

LLMS = "llms.txt"
SOURCE = "docs/quick-reference.md"
SKILL = "skills/many-machines-one-gradient/SKILL.md"
FORMULAS = "skills/many-machines-one-gradient/formulas.md"
ABOUT = "Formulas by question, each with an executed example, its unit and its convention, for a folder of skills."
_SECTION = re.compile(r"^## (?P<question>.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_HTML = re.compile(r"<[^>]+>")
_QUOTED = re.compile(r""": (["'])(.*?)\1(?=,| =|\))""")  # an annotation, which inspect gives as a text

_SKILL_TOP = """---
name: many-machines-one-gradient
description: >-
  Formulas of distributed training, each with its unit, its convention and an executed example: memory of a GPU, ZeRO
  and FSDP, all-reduce and other collectives, data, tensor, pipeline, sequence and expert parallelism, FLOPs and MFU,
  scaling laws, checkpoints and failures, cost. Use it whenever somebody asks whether a model fits, how long a step or
  a run takes, how many bytes are sent, which layout to choose, or when a number of a paper is to be checked.
---

# Formulas of distributed training

From the book *Many Machines, One Gradient*{version}. Do not write such a formula from memory: conventions differ by
factors of two (per direction or both, per rank or in all, with or without the recomputed pass), and each function
below says its own.

- Call it: `{install}` installs the package `snippets` (Python 3.11 or newer), then
  `from snippets import ring_all_reduce_bytes`. A wrong name or argument is answered with those that are near.
- Or ask in a terminal: `python -m snippets ring-all-reduce-bytes --ranks 8 --bytes 14e9` prints the value with its
  convention and source; `--json` as JSON; `python -m snippets list WORD` finds formulas by what the field calls them.
- Whole questions: `python -m snippets memory`, `all-reduce`, `pipeline`, `roofline`, `train`, `plan` and `step`, each
  with `--help`: `python -m snippets memory --model "Llama 3 70B" --gpus 64 --zero 3 --sequence 8192`.
- A name's end is its unit: `_bytes`, `_s` (seconds), `_flops`, `_bytes_per_s`, `_share` (of 1). GB is 10⁹ bytes.
- Quote the result with its convention, and with what the formula leaves out: that, the formula in TeX, its symbols and
  its chapter are in `formulas.md` beside this file. Search it for the function's name.

Below each question: an example that was executed, its result, what it gives, and the convention in bold.
"""
_FORMULAS_TOP = """# Formulas, their symbols, and what they leave out

Of each function in `SKILL.md`: its formula in TeX, the symbols, what it leaves out, its source, how it is called.
"""


@dataclass(frozen=True)
class Told:
    """What an agent is told of a function."""

    name: str
    call: str
    signature: str
    labelled: Mapping[str, str]


def skill_files(
    quick_reference: str, find: Callable[[str], Callable[..., Any]], *, version: str, requirement: str = ""
) -> dict[str, str]:
    """Return the skill's files by their places on the site.

    Args:
        quick_reference: the page's Markdown.
        find: finds a function by its name; it raises ``KeyError`` or ``ValueError`` for what is none.
        version: the book's.
        requirement: what pip installs the book from; its folder where no repository is set.
    """
    install = f'pip install "{requirement}"' if requirement else "pip install FOLDER_OF_THE_BOOK"
    top = _SKILL_TOP.replace("{version}", f", version {version}" if version else "").replace("{install}", install)
    skill = [top]
    formulas = [_FORMULAS_TOP]
    for question, text in _questions(quick_reference):
        told = [_told(find(name)) for name in lists_asked(text)]
        if told:
            skill.append("\n".join([f"## {question}\n", *_prose(text), *map(_line, told)]) + "\n")
            formulas += [f"## {question}\n", *map(_formula, told)]
    return {SKILL: "\n".join(skill), FORMULAS: "\n".join(formulas)}


def _questions(text: str) -> Iterable[tuple[str, str]]:
    """Yield the questions of the quick reference, each with what stands below it."""
    headings = [*_SECTION.finditer(text)]
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        yield heading["question"], text[heading.end() : end]


def _prose(text: str) -> list[str]:
    """Return what stands below a question besides its formulas, without links."""
    paragraphs = [part.strip() for part in text.split("\n\n")]
    kept = [part for part in paragraphs if part and not lists_asked(part)]
    return [_HTML.sub("", _LINK.sub(r"\1", part)) + "\n" for part in kept]


def _told(function: Callable[..., Any]) -> Told:
    from snippets.index import labelled

    name = function.__name__
    signature = _QUOTED.sub(r": \2", re.sub(r"\s*->.*", "", str(inspect.signature(function))))
    return Told(name, executed_call(function), f"{name}{signature}", labelled(function))


def _line(told: Told) -> str:
    said = told.labelled
    gives = said.get("Returns", "").rstrip(".")
    convention = f" **{said['Convention'].rstrip('.')}.**" if "Convention" in said else ""
    gives = gives if re.match("[A-Z]{2}", gives) else gives[:1].lower() + gives[1:]  # FLOP
    return _plain(f"- `{told.call}`: {gives}.{convention}")


def _formula(told: Told) -> str:
    said = told.labelled
    lines = [f"### {told.name}\n", f"{said['Summary']}\n", f"- Formula: {said['Formula']}"]
    labels = ("Symbols", "Leaves out", "Source", "Also", "Chapter")
    lines += [f"- {label}: {said[label]}" for label in labels if said.get(label)]
    return _plain("\n".join([*lines, f"- Call: `{told.signature}`", ""]))


def _plain(text: str) -> str:
    return text.replace("``", "`")


def executed_call(function: Callable[..., Any]) -> str:
    """Return the part of a function's example that calls it, on one line, and behind an arrow what that shows now.

    Raises:
        ValueError: the docstring has no example that calls the function and shows something.
    """
    function = inspect.unwrap(function)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(function) or "")
    shown = shown_example(examples, function.__name__)
    if not shown:
        raise ValueError(f"{function.__name__} has no example that calls it and shows what comes out")
    lines, last = shown
    known = dict(vars(importlib.import_module(function.__module__)))
    for example in examples[: last + 1]:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(example.source, f"<example of {function.__name__}>", "single"), known)
    return f"{'; '.join(lines)} → {' '.join(out.getvalue().split())}"


def joined(question: str, answer: str) -> str:
    """Return a chapter's question with its answer, once where the answer begins with it.

    >>> joined("Who waits?", "Who waits, and why."), joined("Who waits?", "Whoever asks.")
    ('Who waits, and why.', 'Who waits? Whoever asks.')
    """
    first, second = (re.sub(r"\W", "", text).casefold() for text in (question, answer))
    return answer if second.startswith(first) else f"{question} {answer}".strip()


def llms_txt(title: str, summary: str, sections: Mapping[str, Sequence[tuple[str, str, str]]]) -> str:
    """Return the file that tells a language model what the site has.

    Args:
        title: the book's.
        summary: what it is, in a sentence or two.
        sections: below each heading the pages: title, address, and what each is about.

    >>> print(llms_txt("Sums", "On sums.", {"Chapters": [("1 · One", "one/", "How?")]}))
    # Sums
    <BLANKLINE>
    > On sums.
    <BLANKLINE>
    ## Chapters
    <BLANKLINE>
    - [1 · One](one/): How?
    <BLANKLINE>
    """
    lines = [f"# {title}", "", f"> {' '.join(summary.split())}", ""]
    for heading, pages in sections.items():
        if pages:
            lines += [f"## {heading}", "", *(_entry(*page) for page in pages), ""]
    return "\n".join(lines)


def _entry(title: str, address: str, about: str) -> str:
    return f"- [{title}]({address})" + (f": {' '.join(about.split())}" if about else "")
