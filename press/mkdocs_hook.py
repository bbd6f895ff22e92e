"""The one file that knows MkDocs and mkdocs-jupyter. A change of site generator changes this file and ``press/theme``.

mkdocs-jupyter (0.26.3, pinned) turns a notebook into HTML. It is called here rather than listed as a plugin: importing
it takes a second, which a build without new chapters can save. Two seams lead it to the press;
``tests/press/test_seams.py`` tests that they hold:

- ``settings.templates_dir``: where it looks for its template. Its own brings 590 KB of JupyterLab's style sheet a page.
- ``default_filters`` of nbconvert: the template hands each cell to ``chapter_cell``, which is ``PageMaker.cell``.
"""

from __future__ import annotations

import json
import logging
import os
import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemBytecodeCache
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils.templates import TemplateContext

from press import assets, runtime
from press.addresses import Addresses, addresses
from press.book import Book
from press.files import why_unwritable
from press.page import PageMaker
from press.policy import with_policy

log = logging.getLogger("mkdocs.press")

END = "<!--press-end-of-chapter-->"
MARK = re.compile(r"<!--press-cell-(\d+)-->")
VERBATIM = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)

# MkDocs calls functions, not an object, so what one build knows stands here. ``on_files`` starts it anew.
state = SimpleNamespace(serving=False, addresses=Addresses(), book=None, rendered={}, bases=set())


def on_startup(*, command: str, dirty: bool) -> None:
    """Remember whether a reader is writing (``serve``: show problems and stay up) or the site is built (refuse it)."""
    state.serving = command == "serve"
    logging.getLogger("press").parent = log  # so that --verbose shows what the press itself logs


def on_config(config: MkDocsConfig) -> None:
    """Take the book's addresses from the environment; a site that is served has the local server's."""
    try:
        state.addresses = addresses(os.environ)
    except ValueError as error:
        raise Abort(str(error)) from None
    config.repo_url = state.addresses.repository or None
    published = bool(state.addresses.site) and not state.serving
    if published:
        config.site_url = state.addresses.site
    config.extra["published"] = published


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Execute what is stale, and add the chapters and what the press draws to the site's files."""
    options = config.extra.get("press", {})
    root = Path(config.config_file_path).parent
    book = Book(
        root,
        docs=Path(config.docs_dir).relative_to(root).as_posix(),
        source_url=state.addresses.source_url,
        extensions=config.markdown_extensions,
        extension_configs=config.mdx_configs,
    )
    book.execute(cell_timeout_s=options.get("cell_timeout_s", 60.0), report=log.info)
    if options.get("reference"):
        book.write_pages(options["reference"])
        config.nav = _with_reference(config.nav, book)
    for path, written in book.written.items():
        files.append(File.generated(config, path.removeprefix(f"{book.docs}/"), content=written.text))
    for path in [*book.chapters, *book.part_pages]:
        files.append(File.generated(config, _place(path), content=book.text(path)))
    book.addresses = {_path(book, file): file.url for file in files.documentation_pages()}
    for name, content in assets.made(root / ".press" / "assets").items():
        files.append(File.generated(config, name, content=content))
        book.made.add(f"{book.docs}/{name}")
    for name, made in book.runtime().items():
        kind = {"abs_src_path": str(made)} if isinstance(made, Path) else {"content": made}
        files.append(File.generated(config, name, **kind))
        book.made.add(f"{book.docs}/{name}")
    state.bases = {posixpath.relpath(".", file.url) for file in files.documentation_pages()} | {".", _root(config)}
    for path in book.chapters:
        if book.twin(path).is_file():
            content = book.published_notebook(path, state.addresses)
            files.append(File.generated(config, _notebook(book, path), content=content))
    state.book, state.rendered = book, {}
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    """Refuse a chapter that no navigation leads to."""
    state.book.check_listed({_path(state.book, page.file) for page in nav.pages})


def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> Page:
    """Let the press make every page."""
    path = _path(state.book, page.file)

    def render(config: MkDocsConfig, files: Files) -> None:
        rendered = state.book.page(path, lambda maker: _walk(maker, state.book.twin(path)))
        state.rendered[path] = rendered
        page.content, page.toc = rendered.html, get_toc(rendered.headings)
        if path in state.book.chapters:
            page.meta["notebook"] = state.book.twin(path).name
            page.meta["colab"] = state.addresses.colab_url(_notebook(state.book, path))

    page.render = render  # type: ignore[method-assign]
    page.edit_url = state.addresses.edit_url(state.book.source(path))
    return page


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> None:
    """Check what spans pages, add the font that the pages need, and refuse the book if anything is wrong."""
    book = state.book
    compiled = book.root / ".press" / "templates"  # compiling Material's templates takes as long as filling them
    compiled.mkdir(parents=True, exist_ok=True)
    env.bytecode_cache = FileSystemBytecodeCache(str(compiled))
    for path, rendered in state.rendered.items():
        for name, content in rendered.files.items():
            files.append(File.generated(config, posixpath.join(book.addresses[path], name), content=content))
    for name, content in book.mathematics(state.rendered.values()).items():
        files.append(File.generated(config, name, content=content))
    problems = book.check(state.rendered)
    for problem in problems:
        log.error(str(problem))
    if problems and not state.serving:
        raise Abort(f"The book has {len(problems)} problem{'s' * (len(problems) > 1)}; each is named above.")
    if problems:
        panel = book.problem_panel(problems)
        for page in [file.page for file in files.documentation_pages() if file.page]:
            page.content = panel + (page.content or "")
    book.cache.sweep()


def on_page_context(context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    """Let no page name the local server as the place where it is kept."""
    if not config.extra["published"]:
        page.canonical_url = None


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Take the templates' indentation out of the page, a fifth of its bytes, and give it its security policy."""
    pieces = VERBATIM.split(output)
    lean = "".join(
        re.sub(r"\s*\n\s*", "\n", text) + kept for text, kept in zip(pieces[0::3], [*pieces[1::3], ""], strict=True)
    )
    before, article, text = lean.partition("<article")
    return _policed(before.replace(">\n<", "><") + article + text)


def on_post_template(output: str, *, template_name: str, config: MkDocsConfig) -> str:
    """Give the page that says "not found" the same policy."""
    return _policed(output) if template_name == "404.html" else output


def _policed(page: str) -> str:
    host = "" if state.book.runtime_is_here else runtime.CDN
    return with_policy(page, bases=state.bases, host=host, serving=state.serving)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Let the search find the names of the reference by their headings alone: its text would treble the index."""
    index = Path(config.site_dir) / "search" / "search_index.json"
    if state.book.written and index.exists():
        found = json.loads(index.read_text(encoding="utf-8"))
        for entry in found["docs"]:
            if entry["location"].startswith("reference/"):
                entry["text"] = ""
        index.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")


def on_build_error(*, error: Exception) -> None:
    """Say in a sentence what to do where files cannot be written: on a full disk, in somebody else's folder."""
    why = why_unwritable(error) if isinstance(error, OSError) else None
    if why:
        raise Abort(why) from None


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., None]) -> LiveReloadServer:
    """Rebuild when a source changes, but not for the twins that a build itself writes, nor for Python's caches.

    MkDocs can only watch whole folders, so ours are watched here and a change is handed on as a touched file in a
    folder that MkDocs watches.
    """
    from watchdog.events import FileSystemEvent, PatternMatchingEventHandler
    from watchdog.observers import Observer

    root = Path(config.config_file_path).parent
    signal = root / ".press" / "watch" / "changed"
    signal.parent.mkdir(parents=True, exist_ok=True)

    class Touch(PatternMatchingEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            if event.event_type in {"modified", "created", "deleted", "moved"}:
                signal.write_text(os.urandom(8).hex(), encoding="utf-8")

    ignored = ["*.ipynb", "*/__pycache__/*", "*/.ipynb_checkpoints/*", "*.press-part*", "*/answers.py"]
    touch = Touch(ignore_patterns=ignored, ignore_directories=True)
    observer = Observer()
    observer.daemon = True
    packages = [path.parent for path in root.glob("*/__init__.py")]
    for folder in {root / "chapters", root / "exercises", *packages}:
        if folder.is_dir():
            observer.schedule(touch, str(folder), recursive=True)
    observer.start()
    server.watch(str(signal.parent))
    return server


def _walk(maker: PageMaker, notebook: Path) -> str:
    """Let mkdocs-jupyter walk through a notebook and ask the maker for each cell.

    nbconvert parses and rewrites the HTML that it is given, so it is given marks, which are then replaced.
    """
    from mkdocs_jupyter.config import settings
    from mkdocs_jupyter.convert import nb2html
    from nbconvert.exporters.templateexporter import default_filters

    made: list[str] = []

    def cell(cell: Any) -> str:
        made.append(maker.cell(cell))
        return f"<!--press-cell-{len(made) - 1}-->"

    settings.templates_dir = str(Path(__file__).parent / "templates")
    default_filters["chapter_cell"] = cell
    for name in ("mkdocs.plugins.mkdocs_jupyter", "mkdocs.mkdocs-jupyter"):
        logging.getLogger(name).setLevel(logging.WARNING)
    marks = MARK.findall(nb2html(str(notebook)).partition(END)[0])
    return "".join(made[int(number)] for number in marks)


def _with_reference(nav: Any, book: Book) -> Any:
    """Put the pages written from docstrings where the navigation says ``reference/``: by part, as the modules stand."""
    if isinstance(nav, list):
        return [_with_reference(item, book) for item in nav]
    if isinstance(nav, dict):
        return {title: _with_reference(item, book) for title, item in nav.items()}
    if nav != "reference/":
        return nav
    parts: dict[str, list[Any]] = {}
    for path, page in book.written.items():
        place = path.removeprefix(f"{book.docs}/")
        folders = place.split("/")[1:-1]
        if place.startswith("reference/"):
            parts.setdefault(folders[0].capitalize() if folders else "", []).append({page.title: place})
    return [*parts.pop("", []), *({part: pages} for part, pages in parts.items())]


def _root(config: MkDocsConfig) -> str:
    """Return what the page "not found", which may stand anywhere, calls the site's root."""
    return urlsplit(config.site_url or "/").path


def _place(path: str) -> str:
    """Return where the site keeps a page of ``chapters/``: at the root, so that addresses are short."""
    return path.removeprefix("chapters/")


def _notebook(book: Book, path: str) -> str:
    """Return where the site keeps the notebook of a chapter: beside its page."""
    return posixpath.join(book.addresses[path], book.twin(path).name)


def _path(book: Book, file: File) -> str:
    """Return the page's source relative to the root."""
    chapter = f"chapters/{file.src_uri}"
    return chapter if chapter in book.chapters or chapter in book.part_pages else f"{book.docs}/{file.src_uri}"
