"""The book as a whole: which pages it has, what each is made from, and whether they hold together."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from exercises.in_page import described
from exercises.page_files import files_for_page
from press import runtime
from press.chapter import BrokenChapter, find_chapters, front_matter, read_chapter
from press.checks import link_problems, unlisted_chapters
from press.corrections import corrections_page
from press.execute import make_twins
from press.exercise import PATH as EXERCISES
from press.exercise import exercises_page, stubs_shown
from press.faults import faults, syntax_problem
from press.freshness import Freshness
from press.links import Map
from press.mathematics import FONT_NAME, font_woff2
from press.notation import read_notation, repeated_symbols, symbol_problems, symbols_used
from press.numbers import EXCEPTIONS, number_problems
from press.page import PageCache, PageMaker, Rendered, definitions, press_fingerprint
from press.pages import Page
from press.problems import Problem
from press.prose import included_paths, site_markdown
from press.quiz import mark_quiz, read_quiz
from press.reference import INDEX, QUICK, page_of, reference_pages

LIVE = "snippets/live"
HARDWARE = "docs/hardware.md"


class Book:
    """One build of the book that stands under ``root``.

    ``addresses`` (source path → address on the site) and ``made`` (paths of files that the build makes) are filled in
    by the site generator's side before the first page is asked for.
    """

    def __init__(
        self,
        root: Path,
        *,
        docs: str,
        source_url: str,
        extensions: Sequence[Any],
        extension_configs: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.root = root
        self.docs = docs
        self.chapters = [path.relative_to(root).as_posix() for path in find_chapters(root)]
        pages = sorted((root / "chapters").rglob("*.md"))
        self.part_pages = [name for path in pages if (name := path.relative_to(root).as_posix()) not in self.chapters]
        self.written: dict[str, Page] = {}
        self.addresses: dict[str, str] = {}
        self.made: set[str] = set()
        self.problems: list[Problem] = []
        self._unwritten: set[str] = set()
        self._source_url = source_url
        self._extensions = (extensions, extension_configs)
        self._converter: Any = None
        self._cache: PageCache | None = None
        self._tooltips: dict[str, str] | None = None

    def execute(self, *, cell_timeout_s: float, report: Callable[[str], None]) -> None:
        """Bring the executed twin of every chapter up to date."""
        paths = [self.root / path for path in self.chapters]
        self.problems += make_twins(paths, root=self.root, cell_timeout_s=cell_timeout_s, report=report)

    def write_pages(self, package: str) -> None:
        """Write the pages that no file holds: from a package's docstrings, its catalogue, the executed chapters."""
        for page in [
            *self._reference(package),
            *self._made({HARDWARE: "Hardware"}, _hardware),
            corrections_page(self._executed()),
            *self._made({EXERCISES: "Exercises"}, lambda: [exercises_page(described(), self.chapters)]),
        ]:
            if page:
                self.written[page.path] = page

    def _reference(self, package: str) -> list[Page | None]:
        """Write the reference; griffe passes over the modules that do not parse, so these are looked for."""
        titles = {INDEX: "Snippets", QUICK: "Quick reference"}
        pages = self._made(titles, lambda: reference_pages(self.root, package, self.chapters))
        found = {page.source for page in pages if page}
        for file in sorted((self.root / package).rglob("*.py")):
            source = file.relative_to(self.root).as_posix()
            if source not in found and (problem := syntax_problem(file, self.root)):
                self.problems.append(problem)
                pages.append(self._unwritten_page(page_of(source), file.stem))
        return pages

    def _made(self, titles: Mapping[str, str], make: Callable[[], Iterable[Page | None]]) -> list[Page | None]:
        """Return pages for which the book's modules are loaded; where that fails, empty ones of these titles."""
        try:
            return list(make())
        except (Exception, SystemExit) as error:
            problems = faults(error, self.root)
            if not problems:
                raise
            self.problems += problems
            return [self._unwritten_page(path, title) for path, title in titles.items()]

    def _unwritten_page(self, path: str, title: str) -> Page:
        """Return a page that holds the place of one that could not be written, so that links lead to it."""
        self._unwritten.add(path)
        return Page(path, path, f"# {title}\n", title)

    def _executed(self) -> Iterator[tuple[str, str, list[Any]]]:
        """Return the chapters that have been executed: path, title, cells."""
        for path in sorted(self.chapters, key=lambda path: path.rpartition("/")[2]):
            if self.twin(path).exists():
                header = front_matter(self.text(path))[0]
                yield path, header.get("title", path), json.loads(self.twin(path).read_bytes())["cells"]

    def runtime(self) -> dict[str, bytes | Path]:
        """Return the files with which the pages run Python, by their place on the site; none if no page does."""
        archives = {}
        if modules := sorted((self.root / LIVE).glob("*.py")):
            names = [".".join(module.relative_to(self.root).with_suffix("").parts) for module in modules]
            reached = Freshness(self.root).reached([f"import {name}" for name in names])
            archives["figures"] = runtime.archive(
                {path.relative_to(self.root).as_posix(): path for path in reached if path.is_file()}
            )
        if EXERCISES in self.written and EXERCISES not in self._unwritten:
            archives["exercises"] = runtime.archive(files_for_page())
        return runtime.files(self.root, archives) if archives else {}

    @property
    def runtime_is_here(self) -> bool:
        """Whether the site has the runtime's files itself, so that no page asks another host."""
        return runtime.installed(self.root)

    def text(self, path: str) -> str:
        """Return the Markdown of a page."""
        if path in self.written:
            return self.written[path].text
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def source(self, path: str) -> str:
        """Return the file to edit for a page: its own, or the module that it is written from."""
        return self.written[path].source if path in self.written else path

    def twin(self, path: str) -> Path:
        """Return where the executed notebook of a chapter stands."""
        return (self.root / path).with_suffix(".ipynb")

    def page(self, path: str, through: Callable[[PageMaker], str] | None = None) -> Rendered:
        """Return a finished page, from the cache where nothing that it depends on has changed.

        Args:
            path: the page's source, relative to the root.
            through: walks over the notebook's cells and returns the page's body; without it the press does so itself.
        """
        if path in self._unwritten:
            text = "<p>This page could not be written: the problems above say why.</p>"
            return Rendered(html=text, executed=False)
        source = self.text(path)
        twin = self.twin(path)
        is_chapter = path in self.chapters
        notebook = twin.read_bytes() if is_chapter and twin.exists() else b""
        parts = [path.encode(), source.encode(), notebook, *self._included(path, source), self._tooltip_bytes(path)]
        key = self.cache.key(*parts)
        kept = self.cache.read(key)
        if kept:
            return kept
        if is_chapter and not notebook:
            text = "<p>This chapter has not been executed yet: its problems are listed above.</p>"
            return Rendered(html=text, executed=False)
        maker = PageMaker(
            path, source, root=self.root, site=self.site, converter=self.converter, tooltips=self._tips_for(path)
        )
        try:
            rendered = self._chapter(maker, notebook, through) if is_chapter else self._plain(maker, source)
        except (BrokenChapter, yaml.YAMLError) as error:
            problem = Problem(path, 1, f"the header is not YAML: {error}")
            self.problems.append(error.problem if isinstance(error, BrokenChapter) else problem)
            return Rendered(executed=False)
        except SyntaxError as error:  # of a file whose code the page shows
            self.problems += faults(error, self.root)
            return Rendered(executed=False)
        self.cache.write(key, rendered)
        return rendered

    @property
    def site(self) -> Map:
        """The map of the book's pages."""
        return Map(self.addresses, self._source_url, f"{self.docs}/glossary.md", f"{self.docs}/references.md")

    @property
    def cache(self) -> PageCache:
        """The kept pages; what all pages depend on is read once."""
        if self._cache is None:
            common = [*press_fingerprint(self.root), repr(self._extensions).encode(), repr(self.site).encode()]
            self._cache = PageCache(self.root / ".press" / "pages", common)
        return self._cache

    @property
    def converter(self) -> Any:
        """The site's Markdown, made when the first page needs it."""
        if self._converter is None:
            self._converter = site_markdown(*self._extensions)
        return self._converter

    def check_listed(self, listed: set[str]) -> None:
        """Remember a problem for each chapter that no navigation leads to."""
        self.problems += unlisted_chapters(self.chapters, listed)

    def check(self, rendered: Mapping[str, Rendered]) -> list[Problem]:
        """Return all problems: those met so far, those of the pages, and links that lead nowhere."""
        problems = list(self.problems)
        ids = {path: set(page.ids) for path, page in rendered.items() if page.executed}
        for path, page in rendered.items():
            problems += page.problems
            source = self.text(path)
            problems += link_problems(
                page.links, path=path, source=source, root=self.root, site=self.site, ids=ids, made=self.made
            )
        return sorted({*problems, *self._notation_problems(rendered)})

    def mathematics(self, rendered: Iterable[Rendered]) -> dict[str, bytes]:
        """Return the font cut to what the pages need, and the style sheet that names it."""
        used = set("".join(page.characters for page in rendered))
        font = font_woff2(used, self.root / ".press" / "fonts")
        rule = f'@font-face{{font-family:"{FONT_NAME}";src:url("math.woff2") format("woff2");font-display:swap}}\n'
        return {"assets/math.woff2": font, "assets/math.css": rule.encode()}

    def problem_panel(self, problems: Sequence[Problem]) -> str:
        """Return what ``serve`` shows on top of every page while something is wrong."""
        items = "".join(f"<li><code>{html.escape(str(problem))}</code></li>" for problem in problems)
        return f'<div class="build-problems" role="alert"><p>The book has problems:</p><ul>{items}</ul></div>'

    def _chapter(self, maker: PageMaker, notebook: bytes, through: Callable[[PageMaker], str] | None) -> Rendered:
        cells = json.loads(notebook)["cells"]
        for cell in cells:
            cell["source"] = "".join(cell["source"])
        chapter = read_chapter(self.root / maker.path, root=self.root)
        maker.begin(cells, [cell.line for cell in chapter.cells if cell.kind == "code"])
        rendered = maker.finish(through(maker) if through else "".join(maker.cell(cell) for cell in cells))
        questions, problems = read_quiz(chapter.cells, maker.path)
        rendered.html = mark_quiz(rendered.html, questions)
        rendered.problems += problems
        exceptions = chapter.header.get(EXCEPTIONS, {})
        rendered.symbols = symbols_used(chapter.cells)
        rendered.problems += number_problems(chapter.cells, cells, exceptions, path=maker.path)
        return rendered

    def _notation_problems(self, rendered: Mapping[str, Rendered]) -> list[Problem]:
        """Return what the chapters' symbols and the notation page, where there is one, lack of each other."""
        path = f"{self.docs}/notation.md"
        if path not in rendered:
            return []
        sections = read_notation(self.text(path), path)
        problems = repeated_symbols(sections, path)
        for chapter in self.chapters:
            if chapter in rendered:
                problems += symbol_problems(rendered[chapter].symbols, sections, path=chapter)
        return problems

    def _plain(self, maker: PageMaker, source: str) -> Rendered:
        cell = {"cell_type": "markdown", "source": front_matter(source)[1]}
        maker.begin([cell])
        return maker.finish(maker.cell(cell))

    def _included(self, path: str, source: str) -> list[bytes]:
        """Return the contents of the files whose code a page shows."""
        shown = [*included_paths(source), *(name for name, _ in stubs_shown(source))]
        files = [(self.root / path).parent / name for name in shown]
        return [file.read_bytes() if file.is_file() else b"" for file in files]

    def _tips_for(self, path: str) -> dict[str, str]:
        """Return the glossary's definitions; the glossary itself is made without them."""
        if path == self.site.glossary or self.site.glossary not in self.addresses:
            return {}
        if self._tooltips is None:
            self._tooltips = definitions(self.page(self.site.glossary).html)
        return self._tooltips

    def _tooltip_bytes(self, path: str) -> bytes:
        return json.dumps(self._tips_for(path), sort_keys=True).encode()


def _hardware() -> list[Page]:
    from press.hardware import hardware_page  # loads the catalogue, which may be in the making

    return [hardware_page()]
