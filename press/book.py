"""The book as a whole: which pages it has, what each is made from, and whether they hold together."""

from __future__ import annotations

import dataclasses
import functools
import html
import json
import logging
import posixpath
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from press.children import Stopped, beside, in_children
from press.kept import KeptFolder, kept_alone
from press.making.exercise import PATH as EXERCISES
from press.making.exercise import exercises_page, shown_in
from press.making.live import DRAWS, alone_address, live_asked, live_modules, live_shown
from press.making.mathematics import FONT_NAME, font_woff2
from press.making.numbers import EXCEPTIONS, number_problems
from press.making.page import PageCache, PageMaker, Rendered, definitions, press_fingerprint
from press.making.pages import Page
from press.making.prose import SiteMarkdown, included_paths
from press.making.quiz import HEADING, has_quiz, mark_quiz, read_quiz
from press.problems import Problem, Refused
from press.reading.chapter import (
    BrokenChapter,
    find_chapters,
    find_part_pages,
    front_matter,
    header_findings,
    read_chapter,
)
from press.reading.checks import address_problems, link_problems, name_problems, unlisted_chapters
from press.reading.contents import Entry, Part, prerequisite_problems, read_contents, title_problems
from press.reading.files import Unreadable, read_utf8
from press.reading.links import Map, led_out, moved
from press.reading.markup import line_in_prose
from press.reading.notation import (
    letters_of,
    read_alphabet,
    repeated_symbols,
    symbol_problems,
    symbols_used,
)
from press.reading.outline import number_of, outline_problems
from press.reading.sources import inside
from press.running.execute import execute_chapters, read_executed
from press.running.freshness import Freshness
from press.site import agents, runtime, slides
from press.site.addresses import Addresses
from press.site.alone import Shown, alone_page, live_in
from press.site.book_map import book_map
from press.site.collected import all_decks, all_letters, chapters_of_part, lists_asked, whole_book
from press.site.corrections import corrections_page
from press.site.exam import MODULE as EXAM
from press.site.exam import SUBJECT as EXAM_SUBJECT
from press.site.exam import exam_html
from press.site.exercise_records import ExerciseRecords, address_of
from press.site.faults import faults, syntax_problem
from press.site.feed import changelog_page
from press.site.labs import labs_list, recorded_labs
from press.site.notebook import published
from press.site.planner import ACCURACY, MEASURED, SUBJECT, WRITTEN_BY, accuracy_json, measured_html, planner_html
from press.site.planner import MODULE as PLANNER
from press.site.reference import ENTRIES_AT, INDEX, chapter_links, page_of, reference
from press.site.runtime import Archive, Files, archive, exercises_archive, lean_archive
from press.site.thread import box_of, boxes_asked
from press.site.traces import MODULE as TRACES
from press.site.traces import RECORDED, traces_html
from press.site.traces import SUBJECT as TRACES_SUBJECT
from press.site.version import version_of

HARDWARE = "docs/hardware.md"
REFERENCE = Path(__file__).parent / "site" / "reference.py"
FAULTS = Path(__file__).parent / "site" / "faults.py"
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class _MadeFrom:
    """What a page is made from, and the name under which it is kept."""

    source: str
    notebook: bytes
    lists: dict[str, str]
    live: dict[str, Mapping[str, Any]]
    key: str

    @property
    def size(self) -> int:
        return len(self.source) + len(self.notebook)


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
        self.part_pages = [path.relative_to(root).as_posix() for path in find_part_pages(root)]
        self.parts: tuple[Part, ...] = ()
        self.written: dict[str, Page] = {}
        self.addresses: dict[str, str] = {}
        self.made: set[str] = set()
        self.problems: list[Problem] = []
        self._parted: dict[str, tuple[dict[str, Any], str]] = {}
        self._unwritten: set[str] = set()
        self._formulas: dict[str, str] = {}
        self._source_url = source_url
        self._extensions = (extensions, extension_configs)
        self._converter: SiteMarkdown | None = None
        self._cache: PageCache | None = None
        self._tooltips: dict[str, str] | None = None
        self._ingredients: dict[str, _MadeFrom] = {}
        self._read = {path: read_chapter(root / path, root=root) for path in self.chapters}
        self._read_contents()

    def _read_contents(self) -> None:
        try:
            self.parts = read_contents(self.root)
        except Refused as error:
            self.problems += error.problems
        self.problems += title_problems(self.parts, self._read)
        self.problems += prerequisite_problems(self.parts, self._read)

    @property
    def entries(self) -> list[Entry]:
        """The chapters of the table of contents, in its order, planned ones too."""
        return [entry for part in self.parts for entry in part.chapters]

    def navigation(self) -> list[tuple[str, list[str | Entry]]]:
        """Return the parts that have a page or a chapter: their names, pages, and the chapters still planned."""
        listed = []
        for part in self.parts:
            own = [part.page] if part.page in self.part_pages else []
            written = {entry.path for entry in part.chapters} & {*self.chapters}
            if own or written:
                chapters = [entry.path if entry.path in written else entry for entry in part.chapters]
                listed.append((part.name.capitalize(), [*own, *chapters]))
        return listed

    def execute(self, package: str, *, cell_timeout_s: float, report: Callable[[str], None]) -> None:
        """Bring the executed notebook of every chapter up to date; exercises and a package are read beside it."""
        self.problems += outline_problems(self.root)
        paths = [self.root / path for path in self.chapters]
        how: Any = {"root": self.root, "freshness": self.freshness, "cell_timeout_s": cell_timeout_s}
        with beside(lambda: self._read_package(package)):
            assert self.exercises
            self.problems += execute_chapters(paths, **how, report=report)

    def write_pages(self, package: str) -> None:
        """Write the pages that no file holds: from a package's docstrings, its catalogue, the executed chapters."""
        for page in [
            *self._reference(package),
            *self._made({HARDWARE: "Hardware"}, _hardware),
            self._corrections_page(),
            self._exercises_page(),
            changelog_page(self.root),
        ]:
            if page:
                self.written[page.path] = page

    def _corrections_page(self) -> Page:
        """Return the page of corrections, kept while the chapters and their outputs stay the same."""
        notebooks = [self.executed_notebook(path) for path in self.chapters]
        executed = [notebook.read_bytes() if notebook.is_file() else b"" for notebook in notebooks]
        texts = [self.text(path).encode() for path in self.chapters]  # for their titles
        parts = [*self._press, repr(self.chapters).encode(), *texts, *executed]

        def make() -> bytes:
            return json.dumps(dataclasses.asdict(corrections_page(self._executed()))).encode()

        return Page(**json.loads(kept_alone(self.root / ".press" / "corrections", parts, make)))

    def _exercises_page(self) -> Page | None:
        self.problems += self.exercises.problems
        titles = {path: heading(self.text(path)) or path for path in self.chapters}
        return exercises_page(self.exercises.chapters(self.chapters), titles)

    @functools.cached_property
    def exercises(self) -> ExerciseRecords:
        """What is known of each exercise."""
        return ExerciseRecords(self.root, self.freshness)

    @functools.cached_property
    def freshness(self) -> Freshness:
        """What the book's modules import, and what they hold, in this build."""
        return Freshness(self.root)

    def _reference(self, package: str) -> list[Page | None]:
        """Write the reference; griffe passes over the modules that do not parse, so these are looked for."""
        pages = self._made({INDEX: "All modules"}, lambda: self._reference_pages(package))
        for problem in self._syntax_problems(self._modules_of(package)):
            self.problems.append(problem)
            pages.append(self._unwritten_page(page_of(problem.path), Path(problem.path).parent.name.capitalize()))
        return pages

    def _read_package(self, package: str) -> None:
        """Make what is kept of a package's modules."""
        if package:
            self._syntax_problems(self._modules_of(package))
            self._reference_pages(package)

    def _modules_of(self, package: str) -> list[Path]:
        return sorted((self.root / package).rglob("*.py"))

    def _syntax_problems(self, files: Sequence[Path]) -> list[Problem]:
        """Return a problem for each file that Python cannot read, kept while the files stay the same."""
        parts = [FAULTS.read_bytes(), sys.version.encode(), *map(self.freshness.content, files)]

        def make() -> bytes:
            problems = [problem for file in files if (problem := syntax_problem(file, self.root))]
            return json.dumps([dataclasses.asdict(problem) for problem in problems]).encode()

        return [Problem(**problem) for problem in json.loads(kept_alone(self.root / ".press" / "syntax", parts, make))]

    def _reference_pages(self, package: str) -> list[Page]:
        """Return the reference's pages, and keep the formulas' entries for the pages that ask for them."""
        files = [*self._modules_of(package), self.root / "requirements.txt"]  # griffe's version
        parts = [REFERENCE.read_bytes(), repr(self._all_chapters).encode(), *map(self.freshness.content, files)]

        def make() -> bytes:
            return json.dumps(dataclasses.asdict(reference(self.root, package, self._all_chapters))).encode()

        written = json.loads(kept_alone(self.root / ".press" / "reference", parts, make))
        self._formulas = written["formulas"]
        return [Page(**page) for page in written["pages"]]

    @property
    def _all_chapters(self) -> list[str]:
        """The paths of all chapters, written and planned."""
        return list(dict.fromkeys([*self.chapters, *(entry.path for entry in self.entries)]))

    def _made(self, titles: Mapping[str, str], make: Callable[[], Iterable[Page | None]]) -> list[Page | None]:
        """Return pages for which the book's modules are loaded; where that fails, empty ones of these titles."""
        with self._reported():
            return list(make())
        return [self._unwritten_page(path, title) for path, title in titles.items()]

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Remember what the book's modules raise in a block, which then ends early; what others raise goes on."""
        try:
            yield
        except (Exception, SystemExit) as error:
            if isinstance(error, Stopped):
                raise
            problems = faults(error, self.root)
            if not problems:
                raise
            self.problems += problems

    def _unwritten_page(self, path: str, title: str) -> Page:
        """Return a page that holds the place of one that could not be written, so that links lead to it."""
        self._unwritten.add(path)
        return Page(path, path, f"# {title}\n", title)

    def _executed(self) -> Iterator[tuple[str, str, list[Any]]]:
        """Return the chapters that have been executed and can be read: path, title, cells."""
        for path in sorted(self.chapters, key=lambda path: path.rpartition("/")[2]):
            executed = read_executed(self.executed_notebook(path))
            with suppress(BrokenChapter):  # reported when the chapter was to be executed
                if executed is not None:
                    header = self._read[path].header
                    yield path, header.get("title", path), executed["cells"]

    def skill(self, package: str, requirement: str) -> dict[str, bytes]:
        """Return the skill for coding agents, by its files' places on the site; none where there is no quick reference.

        Args:
            package: the package whose functions the quick reference names.
            requirement: what pip installs it from, empty if nobody has said so.
        """
        if not package or not (self.root / agents.SOURCE).is_file():
            return {}
        text, version = self.text(agents.SOURCE), version_of(self.root)
        modules = map(self.freshness.content, self._modules_of(package))
        parts = [*self._press, text.encode(), version.encode(), requirement.encode(), *modules]

        def make() -> bytes:
            return json.dumps(_skill(text, version, requirement)).encode()

        def pages() -> list[Page | None]:
            files = json.loads(kept_alone(self.root / ".press" / "skill", parts, make))
            return [Page(name, agents.SOURCE, content, "") for name, content in files.items()]

        return {page.path: page.text.encode() for page in self._made({}, pages) if page}

    def for_models(self, pages: Iterable[str], site: str) -> dict[str, list[tuple[str, str, str]]]:
        """Return what ``llms.txt`` lists below which heading: each page's title, address, and what it is about.

        Args:
            pages: the pages that are neither chapters nor their parts', in their order.
            site: what stands before an address, empty where nobody has said where the site will be.
        """

        def listed(path: str, title: str, question: str = "") -> tuple[str, str, str]:
            header = self.parted(path)[0]
            about = agents.joined(question, header.get("description", ""))
            return title or header.get("title", path), site + self.addresses[path], about

        chapters = {
            part.title: [
                listed(each.path, each.title, each.question) for each in part.chapters if each.path in self.chapters
            ]
            for part in self.parts
        } or {"Chapters": [listed(path, "") for path in self.chapters]}
        return {**chapters, "Reference": [listed(path, "") for path in pages]}

    def runtime(self) -> dict[str, bytes | Path]:
        """Return the files with which the pages run Python, by their place on the site; none if no page does."""
        archives: dict[str, list[Archive]] = {}
        if modules := live_modules(self.root):
            drawing = {module: self._reached(module) for module in modules}
            archives |= runtime.archives("figures", self._reached(DRAWS), drawing, self._leanly_packed)
        if self._has(PLANNER):
            with self._reported():
                files = {**self._reached(PLANNER), ACCURACY: self._planner_made("accuracy", accuracy_json)}
                archives[SUBJECT] = [Archive(SUBJECT.replace("/", "-"), self._leanly_packed(files))]
        if self._has(EXAM):
            reached = self._reached(EXAM)
            archives[EXAM_SUBJECT] = [Archive(EXAM_SUBJECT.replace("/", "-"), self._leanly_packed(reached))]
        if self._has(TRACES):
            recorded = {path.relative_to(self.root).as_posix(): path for path in self._recorded_traces()}
            packed = self._leanly_packed({**self._reached(TRACES), **recorded})
            archives[TRACES_SUBJECT] = [Archive(TRACES_SUBJECT.replace("/", "-"), packed)]
        if EXERCISES in self.written:
            pages = map(address_of, self.exercises.chapters(self.chapters))
            judging = {address: self.exercises.page_files(address) for address in pages}
            archives |= runtime.archives("exercises", self.exercises.common_files(), judging, self._packed_to_grade)
        self._archives.sweep()
        self.freshness.imports.keep()
        return runtime.files(self.root, archives) if archives else {}

    @functools.cached_property
    def deck_places(self) -> dict[str, str]:
        """Where the slides of each chapter stand that can have some, by its path; ``addresses`` are known before."""
        with_deck = [path for path in self.chapters if path in self.addresses and slides.has_deck(self.text(path))]
        return {path: posixpath.join(self.addresses[path], slides.NAME) for path in with_deck}

    def decks(
        self, rendered: Mapping[str, Rendered], about: slides.About, *, serving: bool, report: Callable[[str], None]
    ) -> dict[str, bytes]:
        """Return the chapters' slides, by their place on the site; they are kept while a chapter's page stays the same.

        Args:
            rendered: the finished pages, by path.
            about: what all decks say of the book; its address is the site's, ``""`` if that is not published.
            serving: whether the site is served while somebody writes.
            report: called with a line of progress at each tenth deck that is made.
        """
        here = runtime.installed(self.root, runtime.SLIDES)
        parts = {entry.path: part.title for part in self.parts for entry in part.chapters}
        asked = {}
        for path, place in self.deck_places.items():
            if path in rendered and rendered[path].executed:
                url = self.addresses[path]
                root, address = posixpath.relpath(".", url) + "/", about.address and about.address + url
                own = dataclasses.replace(about, part=parts.get(path, ""), root=root, address=address)
                asked[place] = (rendered[path].html, own, slides.head(root, here=here, serving=serving))
        keys = {
            place: self._decks.key(repr(own).encode(), head.encode(), page.encode())
            for place, (page, own, head) in asked.items()
        }

        def make(place: str) -> bytes:
            page, own, head = asked[place]
            deck = slides.deck_html(page, own, head=head).encode()
            self._decks.write(keys[place], deck)
            return deck

        missing = [place for place in asked if not self._decks.has(keys[place])]

        def make_beside(number: int) -> None:
            if number % 10 == 0:
                report(f"makes slides ({number} of {len(missing)})")
            make(missing[number])

        in_children(make_beside, len(missing))
        made = {place: self._decks.read(keys[place]) or make(place) for place in asked}
        self._decks.sweep()
        return made

    @functools.cached_property
    def _decks(self) -> KeptFolder:
        return KeptFolder(self.root / ".press" / "slides", self._press)

    def _has(self, module: str) -> bool:
        return (self.root / module.replace(".", "/")).with_suffix(".py").is_file()

    def _reached(self, module: str) -> Files:
        """Return a module and what it imports, by their names in an archive."""
        reached = self.freshness.reached([f"import {module}"])
        return {path.relative_to(self.root).as_posix(): path for path in reached if path.is_file()}

    def _packed(self, files: Files, pack: Callable[[Files], bytes] = archive) -> bytes:
        """Return an archive, kept while its files stay the same."""
        parts = [
            content if isinstance(content, bytes) else self.freshness.content(content) for content in files.values()
        ]
        key = self._archives.key(json.dumps([pack.__name__, *files]).encode(), *parts)
        packed = self._archives.read(key)
        if packed is None:
            packed = pack(files)
            self._archives.write(key, packed)
        return packed

    def _leanly_packed(self, files: Files) -> bytes:
        return self._packed(files, lean_archive)

    def _packed_to_grade(self, files: Files) -> bytes:
        return self._packed(files, exercises_archive)

    @functools.cached_property
    def _archives(self) -> KeptFolder:
        return KeptFolder(self.root / ".press" / "archives", [Path(runtime.__file__).read_bytes()])

    @functools.cached_property
    def runtime_is_here(self) -> bool:
        """Whether the site has the runtime's files itself, so that no page asks another host."""
        return runtime.installed(self.root)

    def text(self, path: str) -> str:
        """Return the Markdown of a page; of one that cannot be read, whose problem is reported elsewhere, nothing."""
        if path in self.written:
            return self.written[path].text
        try:
            return read_utf8(self.root / path)
        except Unreadable:
            return ""

    def parted(self, path: str) -> tuple[dict[str, Any], str]:
        """Return a page's header and the text below it; of a header that is refused, which is reported, nothing."""
        if path not in self._parted:
            text = self.text(path)
            header: dict[str, Any] = {}
            body = text
            with suppress(yaml.YAMLError, ValueError, RecursionError):
                header, body = front_matter(text)
            wrong = not isinstance(header, dict) or any(header_findings(text, header))
            self._parted[path] = ({} if wrong else header), body
        return self._parted[path]

    def source(self, path: str) -> str:
        """Return the file to edit for a page: its own, or the module that it is written from."""
        return self.written[path].source if path in self.written else path

    def executed_notebook(self, path: str) -> Path:
        """Return where the executed notebook of a chapter stands."""
        return (self.root / path).with_suffix(".ipynb")

    def published_notebook(self, path: str, addresses: Addresses) -> bytes:
        """Return the executed notebook of a chapter as the chapter's page offers it.

        It is kept, but not where the book has a repository: its links then depend on which files there are.
        """
        executed = self.executed_notebook(path).read_bytes()
        lead = functools.partial(led_out, path=path, site=self.site, root=self.root, site_url=addresses.site)
        make = functools.partial(published, executed, path, addresses, lead, self.exercises.by_path)
        if addresses.repository:
            return make()
        key = self._notebooks.key(path.encode(), executed)
        content = self._notebooks.read(key)
        if content is None:
            content = make()
            self._notebooks.write(key, content)
        return content

    def make_pages(self, report: Callable[[str], None]) -> None:
        """Make the pages that are not kept, several at once: ``page`` finds them in the cache.

        Args:
            report: called with a line of progress at each tenth page.
        """
        missing = [
            path
            for path in self.addresses
            if path not in self._unwritten and not self.cache.has(self._made_from(path).key)
        ]
        missing.sort(key=lambda path: self._made_from(path).size, reverse=True)  # so that none is left for the end

        def make(number: int) -> None:
            if number % 10 == 0:
                report(f"makes pages ({number} of {len(missing)})")
            self.page(missing[number])

        in_children(make, len(missing))

    def page(self, path: str) -> Rendered:
        """Return a finished page, from the cache where nothing that it depends on has changed.

        Args:
            path: the page's source, relative to the root.
        """
        if path in self._unwritten:
            text = "<p>This page could not be written: the problems above say why.</p>"
            return Rendered(html=text, executed=False)
        made_from = self._made_from(path)
        kept = self.cache.read(made_from.key)
        if kept:
            return kept
        is_chapter = path in self.chapters
        if is_chapter and read_executed(self.executed_notebook(path)) is None:
            text = "<p>This chapter has not been executed yet: its problems are listed above.</p>"
            return Rendered(html=text, executed=False)
        maker = PageMaker(
            path,
            made_from.source,
            root=self.root,
            site=self.site,
            converter=self.converter,
            tooltips=self._tips_for(path),
            lists=made_from.lists,
            exercises=self.exercises.by_path,
            live=made_from.live,
        )
        try:
            rendered = self._chapter(maker, made_from.notebook) if is_chapter else self._plain(maker, made_from.source)
        except BrokenChapter as error:
            return self._not_made([error.problem])
        except Refused as error:
            return self._not_made(error.problems)
        except yaml.YAMLError as error:
            return self._not_made([Problem(path, 1, f"the header is not YAML: {error}")])
        except Exception as error:  # whatever it is, the other pages go on
            log.debug("%s", path, exc_info=True)
            message = f"the page could not be made: {type(error).__name__}: {error}"
            return self._not_made([*maker.problems, Problem(path, 1, message)])
        self.cache.write(made_from.key, rendered)
        return rendered

    def _made_from(self, path: str) -> _MadeFrom:
        """Return what a page is made from, read once in a build."""
        if path not in self._ingredients:
            source = self.text(path)
            executed = self.executed_notebook(path)
            notebook = executed.read_bytes() if path in self.chapters and executed.is_file() else b""
            lists = self._lists(path, source)
            parts = [path.encode(), source.encode(), notebook, *self._included(path, source), self._tooltip_bytes(path)]
            live = self._live(path, source)
            key = self.cache.key(*parts, json.dumps(lists).encode(), json.dumps(live, sort_keys=True).encode())
            self._ingredients[path] = _MadeFrom(source, notebook, lists, live, key)
        return self._ingredients[path]

    def _not_made(self, problems: Sequence[Problem]) -> Rendered:
        """Remember why a page could not be made, and return what stands in its place."""
        self.problems += problems
        return Rendered(html="<p>This page could not be made: its problems are listed above.</p>", executed=False)

    @property
    def site(self) -> Map:
        """The map of the book's pages."""
        planned = tuple(entry.path for entry in self.entries if entry.path not in self.chapters)
        return Map(self.addresses, self._source_url, f"{self.docs}/glossary.md", f"{self.docs}/references.md", planned)

    @property
    def cache(self) -> PageCache:
        """The kept pages; what all pages depend on is read once."""
        if self._cache is None:
            common = [*self._press, repr(self._extensions).encode(), repr(self.site).encode()]
            self._cache = PageCache(self.root / ".press" / "pages", common)
        return self._cache

    @functools.cached_property
    def _notebooks(self) -> KeptFolder:
        """The kept notebooks of a book without a repository."""
        shown = {path: {**record, "cases": None} for path, record in self.exercises.by_path.items()}
        return KeptFolder(
            self.root / ".press" / "notebooks", [*self._press, json.dumps(shown, sort_keys=True).encode()]
        )

    @functools.cached_property
    def _press(self) -> list[bytes]:
        """What all that is made depends on."""
        return press_fingerprint(self.root)

    def sweep(self) -> None:
        """Remove what was kept and this build did not use."""
        self.cache.sweep()
        self._notebooks.sweep()

    @property
    def converter(self) -> SiteMarkdown:
        """The site's Markdown, made when the first page needs it."""
        if self._converter is None:
            self._converter = SiteMarkdown(*self._extensions)
        return self._converter

    def check_listed(self, listed: set[str]) -> None:
        """Remember a problem for each chapter that no navigation leads to."""
        self.problems += unlisted_chapters(self.chapters, listed)

    def check(self, rendered: Mapping[str, Rendered]) -> list[Problem]:
        """Return all problems: those met so far, those of the pages, and links that lead nowhere."""
        problems = list(self.problems)
        problems += name_problems([*self.chapters, *self.part_pages])
        problems += address_problems(
            {*self.chapters, *self.part_pages, *self.written, *self._markdown_below(self.docs)}
        )
        problems += [
            Problem(path, 1, "the build makes this file itself")
            for path in sorted({*self.made, *self.written})
            if (self.root / path).exists()
        ]
        ids = {path: set(page.ids) for path, page in rendered.items() if page.executed}
        for path, page in rendered.items():
            problems += page.problems
            source = self.text(path)
            problems += link_problems(
                page.links, path=path, source=source, root=self.root, site=self.site, ids=ids, made=self.made
            )
        return sorted({*problems, *self._names_given_twice(rendered), *self._notation_problems(rendered)})

    def mathematics(self, rendered: Iterable[Rendered]) -> dict[str, bytes]:
        """Return the font cut to what the pages need, and the style sheet that names it."""
        used = set("".join(page.characters for page in rendered))
        font = font_woff2(used, self.root / ".press" / "fonts")
        rule = f'@font-face{{font-family:"{FONT_NAME}";src:url("math.woff2") format("woff2");font-display:swap}}\n'
        return {"assets/math.woff2": font, "assets/math.css": rule.encode()}

    def figures_alone(
        self, rendered: Mapping[str, Rendered], title: str, *, site: str = "", serving: bool = False
    ) -> dict[str, str]:
        """Return the pages that show the chapters' live figures alone, by their place on the site.

        Args:
            rendered: the finished pages.
            title: the book's.
            site: where it is published, if anywhere.
            serving: whether the site generator will add an inline script of its own.
        """
        how: Any = {"site": site, "host": "" if self.runtime_is_here else runtime.CDN, "serving": serving}
        return {
            f"{alone_address(shown.name)}index.html": alone_page(
                shown, self.addresses[path], heading(self.text(path)), title, **how
            )
            for path, shown in self._live_figures(rendered)
        }

    def _live_figures(self, rendered: Mapping[str, Rendered]) -> Iterator[tuple[str, Shown]]:
        """Yield the chapters' live figures, each with its chapter."""
        for path in self.chapters:
            if path in rendered:
                yield from ((path, shown) for shown in live_in(rendered[path].html))

    def _names_given_twice(self, rendered: Mapping[str, Rendered]) -> Iterator[Problem]:
        """Yield a problem for each live figure whose address, which is its name, another one has."""
        first: dict[str, str] = {}
        for path, shown in self._live_figures(rendered):
            place = f"{path}, {shown.id}"
            if (other := first.setdefault(shown.name, place)) != place:
                yield Problem(path, 1, f"two live figures are called {shown.name}: the other is in {other}")

    def problem_panel(self, problems: Sequence[Problem]) -> str:
        """Return what ``serve`` shows on top of every page while something is wrong."""
        items = "".join(f"<li><code>{html.escape(str(problem))}</code></li>" for problem in problems)
        return f'<div class="build-problems" role="alert"><p>The book has problems:</p><ul>{items}</ul></div>'

    def _chapter(self, maker: PageMaker, notebook: bytes) -> Rendered:
        cells = json.loads(notebook)["cells"]
        for cell in cells:
            cell["source"] = "".join(cell["source"])
        chapter = self._read[maker.path]
        if len(cells) != len(chapter.cells):
            raise Refused([])  # the chapter has changed since, and failed: its problem is known
        rendered = maker.chapter(cells, [cell.line for cell in chapter.cells])
        questions, problems = read_quiz(chapter.cells, maker.path)
        rendered.html = mark_quiz(rendered.html, questions)
        if has_quiz(rendered.html) and not questions and not problems:
            message = f"a quiz stands below a line of its own: {HEADING}"
            problems = [Problem(maker.path, line_in_prose(chapter.text.lower(), "check yourself"), message)]
        rendered.problems += problems
        exceptions = chapter.header.get(EXCEPTIONS, {})
        rendered.symbols = symbols_used(chapter.cells)
        if len(cells) == len(chapter.cells):  # else the executed notebook is older than a chapter that now fails
            rendered.problems += number_problems(chapter.cells, cells, exceptions, path=maker.path)
        return rendered

    def _markdown_below(self, folder: str) -> list[str]:
        """Return the Markdown files below a folder of the root; hidden ones, such as Jupyter's copies, do not count."""
        names = [path.relative_to(self.root).as_posix() for path in sorted((self.root / folder).rglob("*.md"))]
        return [name for name in names if "/." not in name]

    def _notation_problems(self, rendered: Mapping[str, Rendered]) -> list[Problem]:
        """Return the symbols that chapters use and do not explain, or explain twice, where there is a notation page."""
        path = f"{self.docs}/notation.md"
        if path not in rendered:
            return []
        alphabet = read_alphabet(self.text(path))
        problems = []
        for chapter in self.chapters:
            if chapter in rendered:
                own = letters_of(self.text(chapter))
                everywhere = alphabet.holding_for(number_of(chapter))
                tables = [everywhere, own] if own else [everywhere]
                problems += symbol_problems(rendered[chapter].symbols, tables, path=chapter)
                problems += repeated_symbols(everywhere, own, chapter) if own else []
        return problems

    def _lists(self, path: str, source: str) -> dict[str, str]:
        """Return the lists and formulas that a page asks for, collected from the book; a name of none is left out."""
        made = {
            "chapters": lambda: "".join(chapters_of_part(p, self._read) for p in self.parts if p.page == path),
            "book": lambda: whole_book(self.parts, self.part_pages, path),
            "map": lambda: book_map(self.parts, self.part_pages, self._read, path),
            "letters": lambda: all_letters(self.entries, self._read, path),
            "labs": lambda: self._labs(path),
            "planner": lambda: self._planner_made("page", planner_html).decode(),
            "measured": lambda: self._planner_made("measured", measured_html).decode(),
            "exam": lambda: self._exam_made().decode(),
            "traces": lambda: self._traces_made().decode(),
            "slides": lambda: all_decks(self.parts, self.deck_places, path),
        }
        asked = lists_asked(source)
        formulas = {name: moved(self._formulas[name], ENTRIES_AT, path) for name in asked if name in self._formulas}
        boxes = {asked: box_of(self._read[asked], path) for asked in boxes_asked(source, path) if asked in self._read}
        return formulas | boxes | {name: made[name]() for name in asked if name in made}

    def _live(self, path: str, source: str) -> dict[str, Mapping[str, Any]]:
        """Return the live figures that a page asks for and that the executed chapters show, by their names."""
        asked = live_asked(source, path) if path not in self.chapters else []
        executed = [
            read_executed(self.executed_notebook(chapter)) for chapter in dict(asked) if chapter in self.chapters
        ]
        shown = {book["figure"]["name"]: book for notebook in executed if notebook for book in live_shown(notebook)}
        return {name: shown[name] for _, name in asked if name in shown}

    def _labs(self, path: str) -> str:
        """Return the sections of the labs, kept while these stay the same, and remember what is wrong with them."""
        ordered = [posixpath.relpath(entry.path, self.docs) for entry in self.entries]
        files = [path for path in sorted((self.root / "labs").rglob("*")) if path.suffix in {".py", ".json"}]
        parts = [*self._press, repr(ordered).encode(), *map(self.freshness.content, files)]

        def make() -> bytes:
            found, missing = recorded_labs(self.root)
            text, unknown = labs_list(found, chapter_links(ordered))
            return json.dumps([text, [dataclasses.asdict(problem) for problem in missing + unknown]]).encode()

        text, problems = json.loads(kept_alone(self.root / ".press" / "labs", parts, make))
        self.problems += [Problem(**problem) for problem in problems]
        return str(text)

    def _planner_made(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return what the planner's modules make, kept while these and the measured rows stay the same."""
        reached = self.freshness.reached([f"import {module}" for module in WRITTEN_BY])
        files = [*reached, *sorted((self.root / MEASURED).glob("*"))]
        return kept_alone(
            self.root / ".press" / f"planner-{name}", [*self._press, *map(self.freshness.content, files)], make
        )

    def _exam_made(self) -> bytes:
        """Return the exam with which its page opens, kept while its modules stay the same."""
        files = self.freshness.reached([f"import {EXAM}"])
        return kept_alone(
            self.root / ".press" / "exam-page", [*self._press, *map(self.freshness.content, files)], exam_html
        )

    def _recorded_traces(self) -> list[Path]:
        return sorted((self.root / RECORDED).glob("*.json.gz"))

    def _traces_made(self) -> bytes:
        """Return what stands where a chapter takes traces, kept while its modules and the recorded ones stay."""
        files = [*self.freshness.reached([f"import {TRACES}"]), *self._recorded_traces()]
        parts = [*self._press, *map(self.freshness.content, files)]
        return kept_alone(self.root / ".press" / "traces", parts, traces_html)

    def _plain(self, maker: PageMaker, source: str) -> Rendered:
        header, text = front_matter(source)
        maker.problems += [Problem(maker.path, *finding) for finding in header_findings(source, header)]
        return maker.plain(text, 1 + source.count("\n") - text.count("\n"))

    def _included(self, path: str, source: str) -> list[bytes]:
        """Return the contents of the files whose code a page shows."""
        files = [inside(name, (self.root / path).parent, self.root) for name in included_paths(source)]
        records = [self.exercises.by_path.get(shown.path, {}) for shown in shown_in(source, path)]
        contents = [file.read_bytes() if file and file.is_file() else b"" for file in files]
        return [*contents, *(json.dumps({**record, "cases": None}, sort_keys=True).encode() for record in records)]

    def _tips_for(self, path: str) -> dict[str, str]:
        """Return the glossary's definitions; the glossary itself is made without them."""
        if path == self.site.glossary or self.site.glossary not in self.addresses:
            return {}
        if self._tooltips is None:
            self._tooltips = definitions(self.page(self.site.glossary).html)
        return self._tooltips

    def _tooltip_bytes(self, path: str) -> bytes:
        return json.dumps(self._tips_for(path), sort_keys=True).encode()


def heading(text: str) -> str:
    """Return the first heading of a chapter, its title with its number."""
    return next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), "")


def _skill(text: str, version: str, requirement: str) -> dict[str, str]:
    from snippets.index import find_formula  # and what it finds, which may be in the making

    return agents.skill_files(text, find_formula, version=version, requirement=requirement)


def _hardware() -> list[Page]:
    from press.site.hardware import hardware_page  # loads the catalogue, which may be in the making

    return [hardware_page()]
