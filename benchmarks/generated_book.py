"""Writes a book for the benchmark: chapters of realistic length, each with its own prose, formulas, code and figures.

A chapter is a pure function of its number and its edition, so the same call gives the same bytes, and a higher
edition stands for an author's edit. ``PER_PART`` chapters make a part; the chapters of a part import one module of
``snippets`` of their own, so an edit of that module concerns ``PER_PART`` chapters and no other.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
PER_PART = 4
SECTIONS = 6
FORMULAS_PER_SECTION = 5  # one in display, the others in line
WORDS_PER_SECTION = 200
NUMBERED = "eq:cost"

HEADER = """---
title: "{number} · {title}"
description: "{title}: chapter {number} of a book that was generated to measure how long a book takes."
jupyter:
  jupytext:
    formats: ipynb,md
    text_representation: {{extension: .md, format_name: markdown, format_version: "1.3"}}
  kernelspec: {{display_name: Python 3, language: python, name: python3}}
---
"""

TOPICS = ("Rings", "Trees", "Pipelines", "Shards", "Experts", "Batches", "Schedules", "Checkpoints")
VIEWS = ("in bytes", "in seconds", "by hand", "under load", "in expectation", "at the limit", "with stragglers")
HEADINGS = (
    ("The question", "A guess first", "What is to be shared", "A bill to check"),
    ("One worker", "The smallest case", "Before any message", "What stays at home"),
    ("Splitting the work", "Who holds what", "Cutting the array", "Blocks and owners"),
    ("Counting the messages", "What crosses a link", "The bill in bytes", "A cost that adds up"),
    ("When a worker is late", "The slowest of many", "Waiting", "Noise between steps"),
    ("What to remember", "The curve as a whole", "Reading the picture", "Where it stops paying"),
)

PLAIN = (
    "A {thing} that lives on one machine has no bill, so begin there and ask what changes with the second machine.",
    "Every {thing} has one owner at a time, and the owner is the only one who may change it.",
    "Keep {number} {things} in mind: few enough to draw, and enough that the ends and the middle differ.",
    "The order of the {things} is free as long as each of them is added exactly once.",
    "Before you read on, write down which {thing} you expect to be the last to arrive.",
    "A fast link moves the {thing} sooner; it does not make the {thing} smaller.",
    "What one worker sends, another one receives, so the two sums over all workers agree.",
    "If the {things} are cut unevenly, the largest piece sets the time of the whole step.",
    "The same argument holds for {number} workers and for one, and the second case is the quickest check of the first.",
    "Nothing here depends on what the {things} mean; it depends on how many there are and on where they stand.",
    "A worker that has finished its {thing} can either wait or begin with the next one.",
    "Rounding makes the result depend on the order of the sum, though not by more than the last few digits.",
    "You can count the {things} in the picture below and compare the number with the one that the cell prints.",
    "The cost has a part that grows with the size of the {thing} and a part that each message pays anew.",
    "Draw the {things} as a row of {number} boxes and colour each box by its owner.",
    "Sending the {thing} in *smaller pieces* hides part of the wait, and costs a few more messages.",
    "The estimate leaves out what the network does when several workers send to the same port at once.",
    "With `workers` equal to one, the loop body never runs and the function returns its argument.",
    "Two schedules that send the same bytes may still take different times, because one of them waits more often.",
    "Memory is paid for on every worker, so a **replica** of each {thing} is paid for {number} times.",
)
WITH_FORMULA = (
    "Each of the workers sends $\\frac{{{n}-1}}{{{n}}} \\cdot {b}V$ bytes, whatever the {things} hold.",
    "Let $x_{{{i}}} \\in \\mathbb{{R}}^{{{n}}}$ be the {thing} of worker {i}.",
    "The sum $\\sum_{{i=1}}^{{{n}}} g_i$ is the same in every order, up to rounding.",
    "A message of {number} {things} takes the time $\\alpha + \\beta m / {b}$ on an idle link.",
    "The share of idle time falls as $O(1/m^{{{b}}})$ in the number of {things}.",
    "The error is at most $\\lVert e_{{{i}}} \\rVert \\le (1 - \\delta)^{{{b}}} \\lVert g \\rVert$, so it shrinks.",
    "With $p = 1 - (1 - q)^{{{n}}}$ the chance of a late {thing} grows fast, even where each worker is seldom late.",
    "Choose $k = \\lceil \\log_2 {n} \\rceil$ levels, each with half of the {things} of the one below.",
    "The gradient $\\nabla f(w_{{{i}}}) = A^{{\\top}}(A w_{{{i}}} - b)$ needs two products with the same matrix.",
    "The {thing} seldom leaves the range of $\\pm\\sqrt{{{n}}}\\,\\sigma_{{{i}}}$ around its mean.",
)
DISPLAYS = (
    r"\bar g_{{{i}}} = \frac{{1}}{{{n}}} \sum_{{i=1}}^{{{n}}} \nabla \ell(x_i, w_{{{i}}})",
    r"\begin{{aligned}} C &= \sum_{{j=1}}^{{{b}}} A_j B_j \\ &= A_1 B_1 + \dots + A_{{{b}}} B_{{{b}}} \end{{aligned}}",
    r"\mathbb{{E}}\Bigl[\max_{{i \le {n}}} t_i\Bigr] = \frac{{1}}{{\lambda}} \sum_{{i=1}}^{{{n}}} \frac{{1}}{{i}}",
    r"\begin{{pmatrix}} y_1 \\ y_{{{b}}} \end{{pmatrix}} = \begin{{pmatrix}} W_1 & 0 \\ R & W_{{{b}}} \end{{pmatrix}}"
    r" \begin{{pmatrix}} x_1 \\ x_{{{i}}} \end{{pmatrix}}",
    r"\frac{{T_{{{n}}}}}{{T_1}} = \Bigl(1 + \frac{{p - 1}}{{m + {i}}}\Bigr)^{{-1}} + O\bigl({n}^{{-{b}}}\bigr)",
    r"\int_0^\infty \bigl(1 - (1 - e^{{-\lambda t}})^{{{n}}}\bigr)\,dt \ge \frac{{\ln {n}}}{{\lambda}}",
)
THINGS = ("block", "shard", "gradient", "tile", "micro-batch", "bucket", "vector", "row")

IMPORTS = """import numpy as np

from snippets import part_{part:02d} as part
from snippets.drawing import Panel
from snippets.figures import colour, plot, show

edition = {edition}
random = np.random.default_rng({seed})
vectors = random.normal(size=({workers}, {length}))
total, sent = part.ring_sum(vectors)
assert np.allclose(total, vectors.sum(axis=0))
print("chapter edition", edition)
print(part.signature({workers}), f"bytes sent by each of {workers} workers: {{sent[0]:,}}")"""

PRODUCT = """left = random.normal(size=({rows}, {inner}))
right = random.normal(size=({inner}, {columns}))
whole = left @ right
split = part.split_product(left, right, blocks={blocks})
error = np.abs(whole - split).max() / np.abs(whole).max()
assert error < 1e-12
print(f"{blocks} blocks of {inner} columns, largest relative error {{error:.1e}}")"""

WAITING = """late = part.slowest(random, workers={workers}, rounds={rounds})
harmonic = sum(1 / k for k in range(1, {workers} + 1))
assert abs(late.mean() - harmonic) < 0.2
print(f"mean wait for {workers} workers: {{late.mean():.3f}}, expected {{harmonic:.3f}}")"""

DESCENT = """matrix = random.normal(size=({size}, {size})) / {size} ** 0.5 + 2 * np.eye({size})
target = random.normal(size={size})
losses = part.descend(matrix, target, steps={steps}, rate={rate}, bits={bits})
assert losses[-1] < losses[0]
print(f"after {steps} steps of {bits} bits: loss {{losses[-1]:.1e}}, at first {{losses[0]:.1f}}")"""

PICTURE = """panel = Panel(340, 150)
waits = np.quantile(part.slowest(random, workers=2 * {workers}, rounds={rounds}), np.linspace(0.1, 0.9, {bars}))
for row, width in enumerate(300 * waits / waits.max()):
    panel.rectangle(20, 8 + {pitch} * row, width, {pitch} - 4, colour=f"rank-{{row % 8}}", label=str(row))
show(
    panel,
    alt="{bars} bars of growing length, from the shortest waits to the longest.",
    caption="How long a round waits with twice as many workers, in {bars} quantiles; the mean is $H_{{2N}}$.",
)"""

CURVE = """with plot() as (figure, axes):
    for number, bits in enumerate(({bits}, {bits} + 2, {bits} + 5)):
        curve = part.descend(matrix, target, steps={steps}, rate={rate}, bits=bits)
        axes.semilogy(curve, color=colour(f"rank-{{number}}"), label=f"{{bits}} bits")
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    axes.legend()
show(figure, alt="Three falling curves of the loss.", caption="Fewer than {bits} bits stop the descent *early*.")"""

PART = '''"""Simulators: what the chapters of part {part} compute."""

from __future__ import annotations

import numpy as np


def signature(workers: int) -> str:
    """Return a text that tells which edition of this module ran."""
    edition = {edition}
    return f"part {part}, snippet edition {{edition}}, {{workers}} workers;"


def ring_sum(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Add the rows as a ring of workers does, block by block; return the sum and the bytes that each worker sent."""
    workers = len(vectors)
    blocks = [np.array_split(vector.copy(), workers) for vector in vectors]
    sent = np.zeros(workers, dtype=int)
    for step in range(workers - 1):
        for rank in range(workers):
            block = (rank - step) % workers
            blocks[(rank + 1) % workers][block] += blocks[rank][block]
            sent[rank] += blocks[rank][block].nbytes
    owners = [(block - 1) % workers for block in range(workers)]
    return np.concatenate([blocks[owner][block] for block, owner in enumerate(owners)]), sent


def split_product(left: np.ndarray, right: np.ndarray, *, blocks: int) -> np.ndarray:
    """Return the matrix product as a sum of partial products along the shared dimension."""
    pairs = zip(np.array_split(left, blocks, axis=1), np.array_split(right, blocks, axis=0), strict=True)
    return sum(a @ b for a, b in pairs)


def slowest(random: np.random.Generator, *, workers: int, rounds: int) -> np.ndarray:
    """Return, for each round, the time of the slowest worker; times are exponential with mean 1."""
    return random.exponential(size=(rounds, workers)).max(axis=1)


def descend(matrix: np.ndarray, target: np.ndarray, *, steps: int, rate: float, bits: int) -> np.ndarray:
    """Return the loss of a least-squares problem along a descent whose gradients have ``bits`` bits."""
    point, losses = np.zeros(len(target)), []
    for _ in range(steps):
        residual = matrix @ point - target
        gradient = matrix.T @ residual
        scale = np.abs(gradient).max() / 2 ** (bits - 1)
        point -= rate * scale * np.round(gradient / scale)
        losses.append(float(residual @ residual))
    return np.array(losses)
'''


def generate_book(folder: Path, chapters: int = 24) -> list[Path]:
    """Write the snippets and the chapters of a book into ``folder``; return the chapters' paths, in order.

    The book's own modules for figures come along, so the cells show their figures as the book's chapters do.
    """
    snippets = folder / "snippets"
    snippets.mkdir(parents=True, exist_ok=True)
    for module in (ROOT / "snippets").glob("*.py"):
        shutil.copyfile(module, snippets / module.name)
    shutil.copytree(ROOT / "snippets" / "live", snippets / "live", ignore=shutil.ignore_patterns("__pycache__"))
    for part in range(1, part_of(chapters) + 1):
        write_part(folder, part)
    return [write_chapter(folder, number) for number in range(1, chapters + 1)]


def write_chapter(folder: Path, number: int, *, edition: int = 0) -> Path:
    """Write one chapter (numbered from 1) and return its path."""
    path = folder / "chapters" / f"{place(number)}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(chapter_text(number, edition=edition), encoding="utf-8")
    return path


def write_part(folder: Path, part: int, *, edition: int = 0) -> Path:
    """Write the snippet module of one part (numbered from 1) and return its path."""
    path = folder / "snippets" / f"part_{part:02d}.py"
    path.write_text(PART.format(part=part, edition=edition), encoding="utf-8")
    return path


def part_of(number: int) -> int:
    """Return the part that a chapter belongs to.

    >>> part_of(4), part_of(5)
    (1, 2)
    """
    return (number - 1) // PER_PART + 1


def place(number: int) -> str:
    """Return where a chapter stands below ``chapters``, without its suffix.

    >>> place(5)
    'part-2/05-chapter'
    """
    return f"part-{part_of(number)}/{number:02d}-chapter"


def title(number: int) -> str:
    """Return a chapter's title.

    >>> title(1)
    'Rings in bytes'
    """
    return f"{TOPICS[(number - 1) % len(TOPICS)]} {VIEWS[(number - 1) % len(VIEWS)]}"


def chapter_text(number: int, *, edition: int = 0) -> str:
    """Return a chapter as Jupytext Markdown: six sections of prose and formulas, each with a code cell."""
    random = Random(f"chapter {number}")
    cells = _cells(random, number, edition)
    sections = [_section(random, index, number, cell) for index, cell in enumerate(cells)]
    opening = f"# {number} · {title(number)}\n\nThis text is in its edition {edition}. {_back(number)}\n"
    return HEADER.format(number=number, title=title(number)) + "\n" + opening + "\n" + "\n".join(sections)


def words(markdown: str) -> int:
    """Return how many words a text has, formulas and code left out.

    >>> words("Let $x = 1$ be a *number*.")
    4
    """
    prose = re.sub(r"^---\n.*?\n---\n|```.*?```|\$\$.*?\$\$|\$.*?\$", "", markdown, flags=re.DOTALL)
    return len(re.findall(r"[^\W_][\w'-]*", prose))


def formulas(markdown: str) -> list[str]:
    """Return the formulas of a text, code left out.

    >>> formulas("$a$ and $$b$$")
    ['$a$', '$$b$$']
    """
    return re.findall(r"\$\$.+?\$\$|\$.+?\$", re.sub(r"```.*?```", "", markdown, flags=re.DOTALL), re.DOTALL)


def _back(number: int) -> str:
    """Return a sentence with a link to the chapter before."""
    if number == 1:
        return "It begins the book."
    return f"It continues [{title(number - 1)}](../{place(number - 1)}.md)."


def _cells(random: Random, number: int, edition: int) -> list[str]:
    """Return the code of the six cells; no two chapters share their numbers."""
    workers, bits, size = random.randint(5, 12), random.randint(3, 6), random.randint(560, 620)
    steps, rate, bars = random.randint(250, 320), random.randint(40, 80) / 1000, random.randint(4, 8)
    rounds = random.randint(200_000, 300_000)
    return [
        IMPORTS.format(
            part=part_of(number),
            edition=edition,
            seed=number,
            workers=workers,
            length=random.randint(180_000, 220_000),
        ),
        PRODUCT.format(
            rows=random.randint(500, 600),
            inner=random.randint(900, 1100),
            columns=random.randint(500, 600),
            blocks=workers,
        ),
        WAITING.format(workers=workers, rounds=rounds),
        PICTURE.format(bars=bars, pitch=140 // bars, workers=workers, rounds=rounds // 2),
        DESCENT.format(size=size, steps=steps, rate=rate, bits=bits),
        CURVE.format(bits=bits, steps=steps, rate=rate),
    ]


def _section(random: Random, index: int, number: int, code: str) -> str:
    """Return a section: a heading, paragraphs with formulas between the sentences, a formula in display, a cell."""
    fill = _filler(random)
    in_line = [fill(sentence) for sentence in random.sample(WITH_FORMULA, FORMULAS_PER_SECTION - 1)]
    if index == 1:
        in_line[-1] = f"This is what $\\eqref{{{NUMBERED}}}$ says of a single worker."
    plain = [fill(sentence) for sentence in PLAIN]
    random.shuffle(plain)
    sentences = list(in_line)
    while words(" ".join(sentences)) < WORDS_PER_SECTION - 20:
        sentences.insert(random.randint(0, len(sentences)), plain.pop())
    half = len(sentences) // 2
    blocks = [
        f"## {random.choice(HEADINGS[index])}",
        " ".join(sentences[:half]),
        _display(random, index),
        " ".join(sentences[half:]),
        _extra(random, index, number),
        f"```python\n{code}\n```",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _filler(random: Random) -> Callable[[str], str]:
    """Return a function that fills the slots of a sentence."""

    def fill(sentence: str) -> str:
        thing = random.choice(THINGS)
        things = thing + ("es" if thing.endswith("ch") else "s")
        return sentence.format(
            thing=thing,
            things=things,
            number=random.choice(("four", "eight", "twelve", "sixteen", "sixty-four")),
            n=random.choice((4, 8, 12, 16, 24, 48, 64, 96)),
            i=random.randint(1, 9),
            b=random.randint(2, 7),
        )

    return fill


def _display(random: Random, index: int) -> str:
    """Return a formula in display; that of the first section has a number and a label."""
    tex = _filler(random)(DISPLAYS[index])
    if index:
        return f"$$\n{tex}\n$$"
    return f"$$\n\\begin{{equation}} {tex} \\label{{{NUMBERED}}} \\end{{equation}}\n$$"


def _extra(random: Random, index: int, number: int) -> str:
    """Return what else a chapter has: a list, a callout, a table."""
    fill = _filler(random)
    if index == 2:
        return "\n".join(
            f"{place}. {fill(sentence)}" for place, sentence in enumerate(random.sample(PLAIN, 3), start=1)
        )
    if index == 3:
        return f"> [!NOTE]\n> **Key insight {number}.** {fill(random.choice(PLAIN))}"
    if index == 5:
        rows = [f"| {fill('{things}')} | {random.randint(2, 99)} | {random.randint(2, 99)} |" for _ in range(4)]
        return "\n".join(["| what | it buys | it costs |", "|---|---|---|", *rows])
    return ""
