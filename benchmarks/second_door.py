"""Makes the pages of the book without MkDocs and Material, and compares them with the site that ``mkdocs build`` made.

``python -m benchmarks.second_door site`` ends with 1 if the body of a page, or a file that the press makes, differs.
White space in pages does not count. Remove ``.press`` first: else it reads the pages that MkDocs' build has kept there.
"""

from __future__ import annotations

import argparse
import posixpath
import sys
from pathlib import Path
from typing import Any

import yaml

from press.book import Book
from press.site import assets, runtime
from press.site.addresses import Addresses
from press.site.slides import About

ROOT = Path(__file__).parents[1]
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
BUILT_IN = ("toc", "tables", "fenced_code")  # the Markdown extensions that MkDocs adds to those that are set


def read_book() -> Book:
    """Return the book, executed, with the addresses of its pages."""
    listed = [item if isinstance(item, dict) else {item: {}} for item in SETTINGS["markdown_extensions"]]
    configs: dict[str, Any] = {name: config for item in listed for name, config in item.items()}
    names = list(dict.fromkeys([*BUILT_IN, *configs]))
    book = Book(ROOT, docs="docs", source_url="", extensions=names, extension_configs=configs)
    press = SETTINGS["extra"]["press"]
    book.execute(press["reference"], cell_timeout_s=press["cell_timeout_s"], report=print)
    book.write_pages(press["reference"])
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / book.docs).rglob("*.md")]
    pages += [*book.chapters, *book.part_pages, *book.written]
    book.addresses = {path: _address(path.partition("/")[2]) for path in pages}
    return book


def _address(place: str) -> str:
    """Return where the site has the page of a Markdown file: ``memory/22-zero/`` of ``memory/22-zero.md``."""
    folder, name = posixpath.split(place.removesuffix(".md"))
    return posixpath.join(folder, "" if name == "index" else name, "").lstrip("/")


def make(book: Book) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the pages' bodies by the pages' addresses, and all files that go with them.

    Raises:
        ValueError: the book has problems, which the message lists.
    """
    added: dict[str, bytes | str | Path] = {
        **assets.made(ROOT / ".press" / "assets"),
        **book.runtime(),
        **book.skill("snippets", ""),
        **runtime.slides_files(ROOT),
    }
    book.made = {f"{book.docs}/{name}" for name in (*added, *book.deck_places.values())}
    pages = {path: book.page(path) for path in book.addresses}
    for path, page in pages.items():
        added |= {book.addresses[path] + name: content for name, content in page.files.items()}
    for path in book.chapters:
        name = book.addresses[path] + book.executed_notebook(path).name
        added[name] = book.published_notebook(path, Addresses())
    added |= book.figures_alone(pages, SETTINGS["site_name"])
    added |= book.mathematics(pages.values())
    about = About(book=SETTINGS["site_name"], authors=SETTINGS.get("site_author", ""), address="")
    added |= book.decks(pages, about, serving=False, report=print)
    if problems := book.check(pages):
        raise ValueError("\n".join(map(str, problems)))
    bodies = {book.addresses[path]: page.html for path, page in pages.items()}
    return bodies, {name: _bytes(content) for name, content in added.items()}


def _bytes(content: bytes | str | Path) -> bytes:
    if isinstance(content, Path):
        return content.read_bytes()
    return content.encode() if isinstance(content, str) else content


def is_shown(body: str, page: str) -> bool:
    """Whether a page of the site has this body, and not an empty one, between the tags of its article."""
    article = page.partition("<article")[2].partition("</article>")[0]
    return bool(body) and "".join(body.split()) in "".join(article.split())


def main(site: Path) -> None:
    """Compare, and end with what differs."""
    bodies, files = make(read_book())
    assert not {"mkdocs", "material"} & sys.modules.keys()
    pages = {address: (site / address / "index.html").read_text(encoding="utf-8") for address in bodies}
    different = [address for address, page in pages.items() if not is_shown(bodies[address], page)]
    different += [name for name, content in files.items() if (site / name).read_bytes() != content]
    print(
        f"{len(bodies)} pages and {len(files)} files made, {len(different)} differ from the site", *different, sep="\n"
    )
    sys.exit(1 if different or not bodies else 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", type=Path, help="the site as mkdocs has built it")
    main(parser.parse_args().site)
