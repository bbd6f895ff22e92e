"""Makes the HTML of a page from its source: prose, code, outputs, figures, mathematics, links.

A chapter comes as its executed notebook, any other page as plain Markdown. The result is kept under ``.press/pages`` by
a digest of all that goes into it, so that an unchanged page costs a read.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from press.kept import KeptFolder
from press.making import prose
from press.making.convert import Placeholders, notebook_html
from press.making.exercise import expand_exercises
from press.making.figures import Figures
from press.making.live import expand_live
from press.making.mathematics import characters, typeset
from press.making.questions import question_problem
from press.problems import Problem, Refused, line_of
from press.reading.checks import Scan, page_problems
from press.reading.links import Link, Map, rewrite
from press.reading.markup import faults, line_in_prose, tangles
from press.running.cells import CHECK, checked
from press.site.collected import expand_collected
from press.site.thread import expand_boxes
from snippets import palette

_SECTION = re.compile(r"^## ", re.MULTILINE)


@dataclass
class Rendered:
    """A finished page and what the rest of the build needs to know of it."""

    html: str = ""
    headings: list[dict[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    characters: str = ""
    files: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)
    executed: bool = True


class PageMaker:
    """Makes one page."""

    def __init__(
        self,
        path: str,
        source: str,
        *,
        root: Path,
        site: Map,
        converter: prose.SiteMarkdown,
        tooltips: Mapping[str, str],
        lists: Mapping[str, str],
        exercises: Mapping[str, Mapping[str, Any]],
        live: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.path = path
        self.source = source
        self.root = root
        self.site = site
        self.tooltips = tooltips
        self.lists = lists
        self.exercises = exercises
        self.live = live
        self.problems: list[Problem] = []
        self._converter = converter
        self._headings: list[dict[str, Any]] = []
        self._cell_line = 1
        self._placeholders = Placeholders()
        root_url = posixpath.relpath(".", site.pages.get(path) or ".")
        self._figures = Figures(
            self._fragment,
            self._report_here,
            self._placeholders,
            source_url=site.source_url,
            to_root="" if root_url == "." else f"{root_url}/",
        )

    def plain(self, text: str, line: int) -> Rendered:
        """Make a page of Markdown that begins on a line of the source.

        Raises:
            Refused: the prose is such that no converter can be given it.
        """
        return self._finished(self._placeholders.fill("".join(self._prose([text], [line]))))

    def chapter(self, cells: Sequence[Any], lines: Sequence[int]) -> Rendered:
        """Make the page of an executed notebook, whose cells begin on these lines of the source.

        Raises:
            Refused: the prose is such that no converter can be given it.
        """
        texts = self._prose([cell["source"] if cell["cell_type"] == "markdown" else "" for cell in cells], lines)
        prepared: list[dict[str, Any]] = []
        section: list[dict[str, Any]] = []  # its cells of checks
        for cell, text, line in zip(cells, texts, lines, strict=True):
            self._cell_line = line
            if cell["cell_type"] == "code":
                prepared += self._code_cell(cell)
                if prepared and prepared[-1]["metadata"].get("checks"):
                    section = _one_mark(prepared, section)
            elif cell["cell_type"] == "markdown":
                section = [] if _SECTION.search(cell["source"]) else section
                prose_cell = {"cell_type": "markdown", "metadata": {}, "source": self._placeholders.hold(text)}
                prepared.append(prose_cell)
        if wrong := question_problem(self._figures.questions):
            self._report("## The question", wrong)
        return self._finished(self._placeholders.fill(notebook_html(prepared)))

    def _prose(self, sources: Sequence[str], lines: Sequence[int]) -> Sequence[str]:
        """Convert the prose of all cells at once, ``""`` where a cell has none."""
        folder = (self.root / self.path).parent
        tangled = [
            Problem(self.path, line + source.count("\n", 0, position), message)
            for source, line in zip(sources, lines, strict=True)
            for position, message in tangles(source)
        ]
        if tangled:
            raise Refused(tangled)
        for fault in faults(sources):
            below = sources[fault.cell].count("\n", 0, fault.position)
            self.problems.append(Problem(self.path, lines[fault.cell] + below, fault.message))
        sources = [expand_boxes(source, self.path, self.lists, self._report) for source in sources]
        sources = [expand_collected(source, self.lists, self._report) for source in sources]
        sources = [expand_live(source, self.live, self._live_figure, self._report) for source in sources]
        sources = [prose.expand_includes(source, folder, self.root, self._report) for source in sources]
        sources = expand_exercises(sources, self.path, self.exercises, self._report)
        converted = prose.convert(self._converter, sources)
        for piece, message in converted.findings:
            self._report(piece, message)
        self._headings = converted.headings
        return converted.cells

    def _live_figure(self, book: Mapping[str, Any]) -> str:
        return self._placeholders.hold(self._figures.live(book))

    def _finished(self, body: str) -> Rendered:
        """Typeset, link and examine a page."""
        body = typeset(prose.tidy(prose.calm_code(body.strip())), self._report)
        scan = Scan(body)  # before the links are rewritten, so that what it finds stands so in the source
        executed = Path(self.path).with_suffix(".ipynb").name  # stands beside the page
        own = [*self._figures.files, *self._figures.alone, executed]
        body, links = rewrite(body, self.path, self.site, self.tooltips, own)
        problems = self.problems + page_problems(scan.findings, self.path, self.source)
        return Rendered(
            html=body,
            headings=_with_mathml(self._headings),
            ids=sorted(scan.ids),
            links=links,
            problems=sorted(set(problems)),
            characters="".join(sorted(characters(body))),
            files=self._figures.files,
        )

    def _code_cell(self, cell: Any) -> list[dict[str, Any]]:
        """Return a cell of code as nbconvert is to show it, nothing if the page leaves it out."""
        tags = set(cell["metadata"].get("tags", []))
        if tags & {"remove-cell", "setup"}:  # set-up is for notebooks opened elsewhere
            return []
        said, source = checked(cell["source"]) if CHECK in tags else ("", cell["source"])
        code = "" if "remove-input" in tags else self._placeholders.hold(self._code(source))
        outputs = [] if "remove-output" in tags else self._figures.outputs(cell["outputs"])
        about: dict[str, Any] = {"folded": "hide-input" in tags}
        if said:
            about["checks"] = [{"said": self._placeholders.hold(self._figures.inline(said)), "code": code}]
        shown = {"source": code, "outputs": outputs, "metadata": about}
        return [{"cell_type": "code", "execution_count": None, **shown}]

    def _code(self, source: str) -> str:
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", source)), default=0))
        self._converter.reset()
        return self._converter.convert(f"{fence}python\n{source}\n{fence}")

    def _fragment(self, text: str) -> str:
        """Convert a caption or an output."""
        converted, messages = prose.convert_fragment(self._converter, text)
        for message in messages:
            self._report_here(message)
        return converted

    def _report(self, piece: str, message: str, occurrence: int = 0) -> None:
        line = line_of(self.source, piece, occurrence) if occurrence else line_in_prose(self.source, piece)
        self.problems.append(Problem(self.path, line, message))

    def _report_here(self, message: str) -> None:
        self.problems.append(Problem(self.path, self._cell_line, message))


def _one_mark(prepared: list[dict[str, Any]], section: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let a section's checks stand in one cell, the last; return this cell, alone in a list, for the next check."""
    last = prepared[-1]
    for cell in section:
        if cell is not last:
            prepared[:] = [other for other in prepared if other is not cell]
            last["metadata"]["checks"] = cell["metadata"]["checks"] + last["metadata"]["checks"]
            last["outputs"] = cell["outputs"] + last["outputs"]
    return [last]


def _with_mathml(headings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Typeset the headings' names, which the table of contents shows; a formula keeps no link or number there."""
    typed = []
    for heading in headings:
        name = typeset(heading["html"], lambda _piece, _message: None) if "html" in heading else heading["name"]
        children = [] if name == "Exercises" else _with_mathml(heading.get("children", []))  # each would be a line
        typed.append({**heading, "name": name, "children": children})
    return typed


def plain(text: str) -> str:
    """Return HTML as plain text."""
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


def definitions(page: str) -> dict[str, str]:
    """Return, for each heading's id of a page, the plain text of the first paragraph below it: the glossary's tooltips.

    >>> definitions('<h3 id="rank">Rank<a href="#rank">¶</a></h3>\\n<p>A <em>process</em>.</p>')
    {'rank': 'A process.'}
    """
    pairs = re.findall(r'<h[23] id="([^"]*)">.*?</h[23]>\s*<p>(.*?)</p>', page, re.DOTALL)
    return {anchor: re.split(r"(?<=[.])\s", re.sub(r"\s+", " ", plain(text)))[0] for anchor, text in pairs}


class PageCache:
    """Keeps finished pages by the digest of what they were made from."""

    def __init__(self, folder: Path, common: Iterable[bytes]) -> None:
        self._kept = KeptFolder(folder, common)
        self.key = self._kept.key
        self.has = self._kept.has
        self.sweep = self._kept.sweep

    def read(self, key: str) -> Rendered | None:
        """Return the kept page, or ``None``."""
        kept = self._kept.read(key)
        if kept is None:
            return None
        record = json.loads(kept)
        links = [Link(**link) for link in record.pop("links")]
        problems = [Problem(**problem) for problem in record.pop("problems")]
        return Rendered(**record, links=links, problems=problems)

    def write(self, key: str, page: Rendered) -> None:
        """Keep a page; a build that is killed leaves the whole of it or nothing."""
        self._kept.write(key, json.dumps(asdict(page)).encode())


def press_fingerprint(root: Path) -> list[bytes]:
    """Return what every page depends on: the press itself, the palette, the pinned versions."""
    here = Path(__file__).parents[1]
    files = sorted(path for path in here.rglob("*") if path.suffix in {".py", ".j2", ".json"})
    files.append(Path(palette.__file__ or ""))
    files.append(root / "requirements.txt")
    names = (
        "markdown",
        "pymdown-extensions",
        "math-core",
        "mkdocs-jupyter",
        "nbconvert",
        "markdown-callouts",
        "pygments",
    )
    return [path.read_bytes() for path in files if path.exists()] + [
        f"{name} {version(name)}".encode() for name in names
    ]
