"""The one file that knows MkDocs. A change of site generator changes this file and ``press/theme``."""

from __future__ import annotations

import errno
import html
import json
import logging
import os
import posixpath
import re
import shutil
import socket
import tempfile
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import mkdocs
from jinja2 import Environment, FileSystemBytecodeCache, Template
from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, MkDocsException
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils.templates import TemplateContext

from press.children import stop_by_exception
from press.kept import KeptFolder
from press.making.convert import missing_converter
from press.site.addresses import DOWNLOADS_FOLDER, Addresses, addresses, download_name
from press.site.search import searchable, write_search
from press.site.settings import Settings, WrongSetting, docs_folder, read_settings
from press.site.version import dated, made_at, version_of
from press.site.watched import Sources, forget_modules, stamps

if TYPE_CHECKING:  # imported by each build, which may have to read them anew
    from press.book import Book
    from press.reading.contents import Entry
    from press.site.citing import Chapter
    from press.site.slides import About

log = logging.getLogger("mkdocs.press")

PLANNED = "planned:"  # where the navigation leads for a chapter that is still to be written; it becomes no link
_PLANNED_LINK = re.compile(rf'<a href="{PLANNED}"[^>]*>(?P<title>.*?)</a>', re.DOTALL)
OPTION = re.compile(r"Config value '(\w+)': ")
SCRIPTS = ("base", "palette", "content")  # those of Material's templates that stand in pages; ours is in main.html
CARD = "card.png"  # of a chapter, beside its page
SERVED = ".press-serves"  # in the folder of a served site; MkDocs leaves hidden files there

# MkDocs calls functions, not an object, so what one build knows stands here. ``on_files`` starts it anew.
state = SimpleNamespace(
    serving=False,
    rebuilding=False,
    served=None,
    root=None,
    stamps=None,
    addresses=Addresses(),
    made=None,
    cards={},
    book=None,
    rendered={},
    bases=set(),
    scripts=frozenset(),
    outputs=None,
    plain={},  # files that MkDocs would take for pages, by their places on the site
    listed=[],
)


def on_startup(*, command: str, dirty: bool) -> None:
    """Remember whether a reader is writing (``serve``: show problems and stay up) or the site is built (refuse it)."""
    state.serving = command == "serve"
    if not state.serving:
        stop_by_exception()
    logging.getLogger("press").parent = log  # so that --verbose shows what the press itself logs


def on_config(config: MkDocsConfig) -> None:
    """Take the book's addresses from the environment; a site that is served has the local server's."""
    try:
        state.addresses = addresses(os.environ)
    except ValueError as error:
        raise Abort(str(error)) from None
    try:
        state.made = made_at(os.environ)
    except ValueError as error:
        raise Abort(str(error)) from None
    config.repo_url = state.addresses.repository or None
    published = bool(state.addresses.site) and not state.serving
    if published:
        config.site_url = state.addresses.site
    config.extra["published"] = published
    if state.addresses.downloads and not state.serving:
        config.extra["downloads"] = f"{DOWNLOADS_FOLDER}/{download_name(config.site_name)}"


def _ask_for_port(host: str, port: int) -> None:
    """Refuse to serve where nothing can listen, before anything is built: MkDocs would find out afterwards."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        if os.name == "posix":  # as the server will; on Windows this would take the port from whoever has it
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            why = f"{error.strerror or error};"
            if error.errno == errno.EADDRINUSE:
                why = "another program is there, perhaps this book's server in another terminal. End it, or"
            other = f"take another port: mkdocs serve --dev-addr 127.0.0.1:{8001 if port == 8000 else 8000}"
            raise Abort(f"The book cannot be served at {host}:{port}: {why} {other}") from None


def on_pre_build(config: MkDocsConfig) -> None:
    """Refuse settings and folders that the book cannot be built with, and forget the modules that have changed."""
    state.root = root = _folder(config)
    try:
        _settings(config)
    except WrongSetting as error:
        raise Abort(f"{_line(config, error.key)}: {error}") from None
    if missing := missing_converter():
        raise Abort(missing)
    if state.serving and not state.rebuilding:  # then the port is this server's own
        _ask_for_port(config.dev_addr.host, config.dev_addr.port)
    _try_to_write(root / ".press")
    config.extra |= {"edition": version_of(root), "edition_url": state.addresses.tree_url}
    if state.serving and not state.served:
        state.served = _mark_served(Path(config.site_dir), root)
    now = stamps(root)
    if state.stamps not in (None, now):
        forget_modules(root)
    state.stamps = now


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Execute what is stale, and add the chapters and what the press draws to the site's files."""
    from press.book import Book
    from press.site import assets, runtime

    root = _folder(config)
    settings, docs = _settings(config)
    book = Book(
        root,
        docs=docs,
        source_url=state.addresses.source_url,
        extensions=config.markdown_extensions,
        extension_configs=config.mdx_configs,
    )
    book.execute(settings.reference, cell_timeout_s=settings.cell_timeout_s, report=log.info)
    if settings.reference:
        book.write_pages(settings.reference)
    config.nav = _filled_in(config.nav, book)
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
    state.plain = book.skill(settings.reference, state.addresses.requirement)
    book.made |= {f"{book.docs}/{name}" for name in state.plain}
    for name, made in runtime.slides_files(root).items():
        files.append(File.generated(config, name, abs_src_path=str(made)))
        book.made.add(f"{book.docs}/{name}")
    book.made |= {f"{book.docs}/{place}" for place in book.deck_places.values()}
    state.bases = {posixpath.relpath(".", file.url) for file in files.documentation_pages()} | {".", _root(config)}
    for path in book.chapters:
        if book.executed_notebook(path).is_file():
            content = book.published_notebook(path, state.addresses)
            files.append(File.generated(config, _notebook(book, path), content=content))
    state.cards = _cards(book, config)
    for path, (picture, _) in state.cards.items():
        files.append(File.generated(config, posixpath.join(book.addresses[path], CARD), content=picture))
    if config.extra["published"] and _root(config) == "/":  # elsewhere nobody asks for it
        robots = f"User-agent: *\nAllow: /\nSitemap: {config.site_url}sitemap.xml\n"
        files.append(File.generated(config, "robots.txt", content=robots))
    state.book, state.rendered = book, {}
    return files


def _cards(book: Book, config: MkDocsConfig) -> dict[str, tuple[bytes, str]]:
    """Return the card of each chapter that has been executed, and what it shows; of a site that is published only."""
    from press.site.cards import Card, drawn

    entries = {entry.path: entry for entry in book.entries}
    executed = [path for path in book.chapters if book.executed_notebook(path).is_file()]
    if not config.extra["published"]:
        return {}
    asked = []
    for path in executed:
        chapter = _chapter(book, path)
        question = entries[path].question if path in entries else chapter.description
        card = Card(chapter.number, chapter.title, question, config.site_name)
        asked.append((card, book.executed_notebook(path).read_bytes()))
    return dict(zip(executed, drawn(asked, book.root / ".press" / "cards"), strict=True))


def _chapter(book: Book, path: str) -> Chapter:
    """Return what is cited of a chapter, but for its addresses."""
    from press.reading.outline import number_of
    from press.site.citing import Chapter, unnumbered

    header, number = book.parted(path)[0], number_of(path) or ""
    return Chapter(
        name=Path(path).stem,
        number=number,
        title=unnumbered(header.get("title", path), number),
        description=header.get("description", ""),
        level=header.get("level", ""),
        minutes=header.get("minutes", 0),
    )


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    """Refuse a chapter that no navigation leads to."""
    state.listed = [_path(state.book, page.file) for page in nav.pages]
    state.book.check_listed({*state.listed})
    state.outputs = _outputs(nav, config)
    state.book.make_pages(log.info)


def _outputs(nav: Navigation, config: MkDocsConfig) -> KeptFolder:
    """Return where finished pages are kept, by what a template shows on all of them."""
    theme = sorted(path for path in (Path(__file__).parent / "theme").rglob("*") if path.is_file())
    generator = [f"mkdocs {mkdocs.__version__}", f"mkdocs-material {version('mkdocs-material')}"]  # or ProperDocs'
    settings = Path(config.config_file_path).read_text(encoding="utf-8")
    common = [str(nav), settings, str(config.site_url), repr(state.addresses), config.extra["edition"], *generator]
    parts = [*(text.encode() for text in common), *(path.read_bytes() for path in theme)]
    return KeptFolder(state.root / ".press" / "outputs", parts)


def on_page_read_source(*, page: Page, config: MkDocsConfig) -> str:
    """Give MkDocs a page's text without its header: the press reads that, and none of it reaches a template raw."""
    return str(state.book.parted(_path(state.book, page.file))[1])


def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> Page:
    """Let the press make every page."""
    path = _path(state.book, page.file)

    def render(config: MkDocsConfig, files: Files) -> None:
        rendered = state.book.page(path)
        state.rendered[path] = rendered
        page.content, page.toc = rendered.html, get_toc(rendered.headings)
        page.meta = header = state.book.parted(path)[0]
        page.title = Markup.escape(page.title or "")  # the navigation's, else the header's, else the first heading
        page.meta = _meta(header)
        if path in state.book.chapters:
            page.meta["notebook"] = state.book.executed_notebook(path).name
            page.meta["pdf"] = f"{Path(path).stem}.pdf" if config.extra.get("downloads") else ""
            page.meta["slides"] = posixpath.basename(state.book.deck_places.get(path, ""))
            page.meta["colab"] = state.addresses.colab_url(_notebook(state.book, path))
        page.meta |= _said(page, path, config)

    page.render = render  # type: ignore[method-assign]
    page.edit_url = state.addresses.edit_url(state.book.source(path))
    return page


def _said(page: Page, path: str, config: MkDocsConfig) -> dict[str, Any]:
    """Return how a page is cited, what it tells search engines and previews, and where an error on it is reported."""
    from press.site.citing import Work, bibtex, highwire, json_ld, released_on

    published = config.extra["published"]
    url = (page.canonical_url or "") if published else ""
    report = state.addresses.report_url(page.title.striptags(), url or page.url, config.extra["edition"])
    said: dict[str, Any] = {"report": Markup.escape(report)}
    chapter = _chapter(state.book, path) if path in state.book.chapters else None
    if not chapter and not page.is_homepage:
        return said
    downloads = config.extra.get("downloads", "")
    released = released_on(state.book.root)
    work = Work(
        title=config.site_name,
        author=config.site_author or "",
        description=config.site_description or "",
        version=config.extra["edition"],
        year=(released or state.made).year,
        released=released,
        url=(config.site_url or "") if published else "",
        pdf=f"{config.site_url}{downloads}.pdf" if published and downloads else "",
    )
    if chapter:
        pdf = f"{url}{chapter.name}.pdf" if published and downloads else ""
        card, alt = state.cards.get(path, (b"", ""))
        chapter = replace(chapter, url=url, pdf=pdf, picture=f"{url}{CARD}" if card else "")
        said |= {"card": chapter.picture, "card_alt": alt}
    if published:
        said |= {"highwire": list(highwire(work, chapter)), "json_ld": json_ld(work, chapter)}
    return {**said, "cite": bibtex(work, chapter)}


def _meta(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what templates may know of a page's header; they write it as it is, so it is escaped."""
    texts = {key: Markup.escape(header[key]) for key in ("title", "description") if key in header}
    return {**texts, "hide": header.get("hide", [])}


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> None:
    """Check what spans pages, add the font that the pages need, and refuse the book if anything is wrong."""
    from press.site.policy import scripts_of

    book = state.book
    assert env.loader
    names = ["main.html", *(f"partials/javascripts/{name}.html" for name in SCRIPTS)]
    state.scripts = scripts_of(env.loader.get_source(env, name)[0] for name in names)
    env.template_class = KeptOutput
    compiled = book.root / ".press" / "templates"  # compiling Material's templates takes as long as filling them
    compiled.mkdir(parents=True, exist_ok=True)
    env.bytecode_cache = FileSystemBytecodeCache(str(compiled))
    for path, rendered in state.rendered.items():
        for name, content in rendered.files.items():
            files.append(File.generated(config, posixpath.join(book.addresses[path], name), content=content))
    where = {"site": config.site_url if config.extra["published"] else "", "serving": state.serving}
    for name, content in book.figures_alone(state.rendered, config.site_name, **where).items():
        files.append(File.generated(config, name, content=content))
    for name, content in book.mathematics(state.rendered.values()).items():
        files.append(File.generated(config, name, content=content))
    decks = book.decks(state.rendered, _about(config), serving=state.serving, report=log.info)
    for name, content in decks.items():
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
    book.sweep()


def _about(config: MkDocsConfig) -> About:
    """Return what the slides of all chapters say of the book."""
    from press.site.slides import About

    address = state.addresses.site if config.extra["published"] else ""
    return About(book=config.site_name, authors=config.site_author or "", address=address)


class KeptOutput(Template):
    """Fills in a page's template; with what it was filled in before, it is read from where it was kept."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        context = dict(*args, **kwargs)
        if not context.get("page"):
            return super().render(context)
        key = state.outputs.key(*_filled_with(context["page"]))
        output = state.outputs.read(key)
        if output is None:
            output = super().render(context).encode()
            state.outputs.write(key, output)
        return str(output.decode())


def _filled_with(page: Page) -> list[bytes]:
    """Return all that differs between the pages of a build and that a template may show."""
    near = [(other.url, other.title) if other else None for other in (page.previous_page, page.next_page)]
    headings = state.rendered[_path(state.book, page.file)].headings
    names = [page.url, page.title, page.edit_url, page.canonical_url, page.is_homepage, near, headings]
    about = json.dumps([*names, page.meta, [section.title for section in page.ancestors]], default=str)
    return [about.encode(), (page.content or "").encode()]


def on_page_context(context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    """Let no page name the local server as the place where it is kept."""
    if not config.extra["published"]:
        page.canonical_url = None


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Give each page its day and its policy, and let the search find chapters first, by their other names too."""
    path = _path(state.book, page.file)
    also = next((entry.also for entry in state.book.entries if entry.path == path), "")
    output = searchable(output, page.url, chapter=path in state.book.chapters, also=also)
    output = _PLANNED_LINK.sub(r'<span class="md-nav__link planned">\g<title></span>', output)
    return _policed(dated(output, state.made))


def on_post_template(output: str, *, template_name: str, config: MkDocsConfig) -> str:
    """Give the page that says "not found" the same day and policy."""
    return _policed(dated(output, state.made)) if template_name == "404.html" else output


def _policed(page: str) -> str:
    from press.site import runtime
    from press.site.policy import UnknownScript, with_policy

    host = "" if state.book.runtime_is_here else runtime.CDN
    try:
        return with_policy(page, scripts=state.scripts, bases=state.bases, host=host, serving=state.serving)
    except UnknownScript as error:
        raise Abort(f"The book cannot be built: {error}.") from None


def on_post_build(*, config: MkDocsConfig) -> None:
    """Let the finished pages be searched; while a book is served, by the index of the server's first build.

    Pagefind reads all pages whichever has changed, and an author waits for the page.
    """
    from press.site.assets import without_comments

    for sheet in Path(config.site_dir, "stylesheets").glob("*.css"):  # the book's own
        sheet.write_text(without_comments(sheet.read_text(encoding="utf-8")), encoding="utf-8")
    kept = state.root / ".press" / "search"
    write_search(Path(config.site_dir), kept, may_be_old=state.rebuilding, report=log.info)
    state.outputs.sweep()
    for name, content in {**state.plain, **_for_programs(config)}.items():
        file = Path(config.site_dir, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _for_programs(config: MkDocsConfig) -> dict[str, bytes]:
    """Return what feed readers and language models read, by its place; a feed has to say where the site is."""
    from press.site import agents, feed

    book, site = state.book, str(config.site_url) if config.extra["published"] else ""
    chapters = {*book.chapters, *book.part_pages}
    others = [path for path in state.listed if path not in chapters and path != f"{book.docs}/index.md"]
    pages = book.for_models(others, site)
    if state.plain:
        pages["For coding agents"] = [("The skill", site + agents.SKILL, agents.ABOUT)]
    found = {agents.LLMS: agents.llms_txt(config.site_name, config.site_description or "", pages).encode()}
    changelog = state.root / feed.SOURCE
    if site and changelog.is_file():
        text, author = changelog.read_text(encoding="utf-8"), config.site_author or config.site_name
        found[feed.NAME] = feed.feed(text, title=config.site_name, author=author, site=site)
    return {name: content for name, content in found.items() if content}


def on_build_error(*, error: Exception) -> None:
    """End a build that the book's own code or a file's permissions have ended with a sentence, and no traceback."""
    from press.reading.files import why_unwritable
    from press.site.faults import faults

    if isinstance(error, MkDocsException):
        return
    log.debug("The build ended with an error", exc_info=error)  # mkdocs --verbose shows it
    problems = faults(error, state.root) if state.root else []
    for problem in problems:
        log.error(str(problem))
    if problems:
        raise Abort("The book cannot be built: its own code fails; the place is named above.") from error
    if isinstance(error, OSError) and (why := why_unwritable(error)):
        raise Abort(why) from error
    if isinstance(error, OSError) and error.filename:
        raise Abort(f"The book cannot be built: {error.filename}: {error.strerror}.") from error


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Callable[[], None]) -> LiveReloadServer:
    """Rebuild when a source changes, and only then, and show what ends a build in the pages.

    MkDocs watches all files of a folder. Here one observer looks at the whole book, but does not see what is no source,
    so that what is saved together is built together.
    """
    from watchdog.observers.polling import PollingObserverVFS

    root = _folder(config)
    sources = Sources(root, _settings(config)[1], Path(config.config_file_path).name)
    for watched in (config.docs_dir, config.config_file_path):
        server.unwatch(watched)
    server.observer = PollingObserverVFS(os.stat, sources.entries, polling_interval=0.5)  # type: ignore[assignment]
    server.watch(str(root))
    server.builder = lambda: _build_or_show(builder, Path(server.root), config)
    state.rebuilding = True
    return server


def _build_or_show(build: Callable[[], None], site: Path, config: MkDocsConfig) -> None:
    """Build the site; if that fails, put what is wrong in the place of each page that there was."""
    pages = list(site.rglob("*.html"))
    errors: list[str] = []
    listener = logging.Handler(logging.ERROR)
    listener.emit = lambda record: errors.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("mkdocs").addHandler(listener)
    try:
        build()
    except (Exception, SystemExit) as error:
        if not isinstance(error, MkDocsException):
            traceback.print_exc()
        message = _message(error, errors, config)
        log.error(message)
        errors = [text for text in errors[:-1] if not message.endswith(text)] + [message]
        for page in pages:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(_page_of_problems(errors), encoding="utf-8")
    finally:
        logging.getLogger("mkdocs").removeHandler(listener)


def _message(error: BaseException, errors: list[str], config: MkDocsConfig) -> str:
    """Return what ended a build, with its line where it is about the settings."""
    yaml_error = error.__context__
    option = OPTION.match(errors[-1]) if errors else None
    if option:
        return f"{_line(config, option[1])}: {errors[-1]}"
    if mark := getattr(yaml_error, "problem_mark", None):
        problem = getattr(yaml_error, "problem", None)
        return f"{Path(config.config_file_path).name}:{mark.line + 1}: the settings are not YAML: {problem}"
    return str(error) if isinstance(error, MkDocsException) else f"{type(error).__name__}: {error}"


def _page_of_problems(errors: list[str]) -> str:
    items = "".join(f"<li><code>{html.escape(text)}</code></li>" for text in errors)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The book cannot be built</title></head>'
        '<body><div class="build-problems" role="alert"><p>The book cannot be built:</p>'
        f"<ul>{items}</ul></div></body></html>"
    )


def _folder(config: MkDocsConfig) -> Path:
    """Return the book's folder."""
    return Path(os.path.abspath(config.config_file_path)).parent  # with --config-file it is relative


def _settings(config: MkDocsConfig) -> tuple[Settings, str]:
    """Return the press's settings, and where the pages are that are not chapters."""
    root = _folder(config)
    if not config.use_directory_urls:
        raise WrongSetting("use_directory_urls", "must be true, because a chapter's files stand beside it, got False")
    return read_settings(config.extra.get("press", {}), root), docs_folder(Path(config.docs_dir), root)


def _line(config: MkDocsConfig, key: str) -> str:
    """Return the place in the settings where a key stands, ``mkdocs.yml:60``."""
    path = Path(config.config_file_path)
    before = re.split(rf"^\s*{re.escape(key)}:", path.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)
    return f"{path.name}:{before[0].count(chr(10)) + 1 if before[1:] else 1}"


def _try_to_write(folder: Path) -> None:
    """Refuse a book that lies where nothing may be written, before anything is done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Abort(
            f"The book cannot be built here: {folder} cannot be written ({error.strerror}). A build writes there,"
            " beside the chapters and into the site's folder: take write permission, or build a copy of the book."
        ) from None


def _mark_served(site: Path, root: Path) -> Any:
    """Mark the folder that this server serves, and remove those that killed servers of this book have left behind.

    Returns:
        The open mark; it is locked for as long as this process lives, however it ends.
    """
    try:
        import fcntl
    except ImportError:  # on Windows nothing is removed
        return None
    for mark in site.parent.glob(f"mkdocs_*/{SERVED}"):
        with suppress(OSError), mark.open("rb") as left:
            fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its server lives
            if left.read() == os.fsencode(root):
                shutil.rmtree(mark.parent)
    served = (site / SERVED).open("wb")
    fcntl.flock(served, fcntl.LOCK_EX)
    served.write(os.fsencode(root))
    served.flush()
    return served


def _filled_in(nav: Any, book: Book) -> Any:
    """Put into the navigation the parts where it says ``chapters/``, and the reference where it says ``reference/``."""
    if isinstance(nav, list):
        parts = [{name: [_nav_item(item) for item in items]} for name, items in book.navigation()]
        return [found for item in nav for found in (parts if item == "chapters/" else [_filled_in(item, book)])]
    if isinstance(nav, dict):
        return {title: _filled_in(item, book) for title, item in nav.items()}
    return _reference(book) if nav == "reference/" and book.written else nav


def _nav_item(item: str | Entry) -> str | dict[str, str]:
    """Return what the navigation has for a page, or for a chapter that is planned."""
    return _place(item) if isinstance(item, str) else {html.escape(item.title): PLANNED}


def _reference(book: Book) -> list[dict[str, str]]:
    """Return the pages written from docstrings."""
    pages = {path.removeprefix(f"{book.docs}/"): page.title for path, page in book.written.items()}
    return [{title: place} for place, title in pages.items() if place.startswith("reference/")]


def _root(config: MkDocsConfig) -> str:
    """Return what the page "not found", which may stand anywhere, calls the site's root."""
    return urlsplit(config.site_url or "/").path


def _place(path: str) -> str:
    """Return where the site keeps a page of ``chapters/``: at the root, so that addresses are short."""
    return path.removeprefix("chapters/")


def _notebook(book: Book, path: str) -> str:
    """Return where the site keeps the notebook of a chapter: beside its page."""
    return posixpath.join(book.addresses[path], book.executed_notebook(path).name)


def _path(book: Book, file: File) -> str:
    """Return the page's source relative to the root."""
    chapter = f"chapters/{file.src_uri}"
    return chapter if chapter in book.chapters or chapter in book.part_pages else f"{book.docs}/{file.src_uri}"
