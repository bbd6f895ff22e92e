"""What the hook does around a build: refuses folders, shows what ends a build, cleans up after killed servers."""

from __future__ import annotations

import fcntl
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.config.base import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from small_book import SmallBook

from press import mkdocs_hook
from press.kept import KeptFolder


@pytest.fixture
def config(small_book: SmallBook) -> MkDocsConfig:
    return load_config(str(small_book.root / "mkdocs.yml"))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return the folder of a served site with one page."""
    (tmp_path / "site/part").mkdir(parents=True)
    (tmp_path / "site/part/index.html").write_text("the page")
    return tmp_path / "site"


def test_a_folder_that_cannot_be_written_is_refused_in_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / ".press"
    folder.touch()
    with pytest.raises(Abort) as caught:
        mkdocs_hook._try_to_write(folder)
    assert str(caught.value) == (
        f"The book cannot be built here: {folder} cannot be written (File exists). A build writes there, beside the"
        " chapters and into the site's folder: take write permission, or build a copy of the book."
    )


def test_a_port_that_is_taken_is_refused_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(Abort) as caught:
            mkdocs_hook._ask_for_port("127.0.0.1", port)
    assert str(caught.value) == (
        f"The book cannot be served at 127.0.0.1:{port}: another program is there, perhaps this book's server in"
        " another terminal. End it, or take another port: mkdocs serve --dev-addr 127.0.0.1:8000"
    )
    mkdocs_hook._ask_for_port("127.0.0.1", port)


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
def test_an_address_that_is_not_this_machines_is_refused_in_one_sentence(host: str) -> None:
    with pytest.raises(Abort, match=rf"^The book cannot be served at {host}:8123: .*; take another port: mkdocs serve"):
        mkdocs_hook._ask_for_port(host, 8123)


def test_a_file_that_cannot_be_written_ends_the_build_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mkdocs_hook.state, "root", tmp_path)
    full = OSError(28, "No space left on device", "/book/.press/pages/a.part")
    with pytest.raises(Abort, match=r"^/book/.press/pages/a\.part cannot be written, for the disk is full"):
        mkdocs_hook.on_build_error(error=full)


def test_an_error_of_the_press_keeps_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mkdocs_hook.state, "root", tmp_path)
    mkdocs_hook.on_build_error(error=RuntimeError("a fault of the press"))


def test_a_build_that_ends_well_leaves_the_pages(site: Path, config: MkDocsConfig) -> None:
    mkdocs_hook._build_or_show(lambda: None, site, config)
    assert (site / "part/index.html").read_text() == "the page"


def test_what_ended_a_build_stands_in_the_pages(
    site: Path, config: MkDocsConfig, caplog: pytest.LogCaptureFixture
) -> None:
    def build() -> None:
        (site / "part/index.html").unlink()
        (site / "part").rmdir()
        mkdocs_hook.log.error("snippets/a.py:3: x < y")
        raise Abort("The book cannot be built.")

    mkdocs_hook._build_or_show(build, site, config)
    page = (site / "part/index.html").read_text()
    assert "<li><code>snippets/a.py:3: x &lt; y</code></li><li><code>The book cannot be built.</code></li>" in page
    assert "build-problems" in page
    assert "The book cannot be built." in caplog.text


def _loaded(config: MkDocsConfig) -> Callable[[], None]:
    return lambda: print(load_config(config.config_file_path))


@pytest.mark.parametrize(
    ("old", "new", "after", "reported"),
    [
        ("nav:\n", "nav: [\n", 1, "the settings are not YAML: expected the node content"),
        ("nav:\n", "nav: 3\nold:\n", 0, "Config value &#x27;nav&#x27;: Expected nav to be a list"),
        ("docs_dir: docs", "docs_dir: nodocs", 0, "Config value &#x27;docs_dir&#x27;: The path"),
    ],
)
def test_a_fault_in_the_settings_stands_in_the_pages_with_its_line(
    small_book: SmallBook, site: Path, config: MkDocsConfig, old: str, new: str, after: int, reported: str
) -> None:
    small_book.settings["docs_dir"] = "docs"
    small_book.save_settings()
    small_book.replace("mkdocs.yml", old, new)
    mkdocs_hook._build_or_show(_loaded(config), site, config)
    page = (site / "part/index.html").read_text()
    lines = small_book.read("mkdocs.yml").splitlines()
    line = lines.index(new.splitlines()[0]) + 1 + after
    assert f"<li><code>mkdocs.yml:{line}: {reported}" in page
    assert page.count("<li>") == 1


def test_what_killed_servers_of_this_book_left_is_removed(tmp_path: Path) -> None:
    root, other = tmp_path / "book", tmp_path / "other"
    left: dict[str, Path] = {}
    for name, text in {"dead": root, "alive": root, "others": other}.items():
        left[name] = tmp_path / f"mkdocs_{name}"
        left[name].mkdir()
        (left[name] / mkdocs_hook.SERVED).write_text(str(text))
    for name in ("mkdocs_unmarked", "served"):
        (tmp_path / name).mkdir()
    (tmp_path / "served" / mkdocs_hook.SERVED).write_text(str(root))
    with (left["alive"] / mkdocs_hook.SERVED).open() as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        mine = tmp_path / "mkdocs_mine"
        mine.mkdir()
        with mkdocs_hook._mark_served(mine, root):
            again = tmp_path / "mkdocs_again"
            again.mkdir()
            mkdocs_hook._mark_served(again, root).close()
    kept = {path.name for path in tmp_path.iterdir()} - {"book", "other"}
    assert kept == {"mkdocs_alive", "mkdocs_others", "mkdocs_unmarked", "served", "mkdocs_mine", "mkdocs_again"}


def test_a_server_makes_the_searchs_index_once(
    site: Path, config: MkDocsConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(mkdocs_hook, "write_search", lambda *_, may_be_old, report: asked.append(may_be_old))
    monkeypatch.setattr(mkdocs_hook, "_for_programs", lambda _: {})
    for name, value in [
        ("rebuilding", False),
        ("root", site.parent),
        ("outputs", KeptFolder(site.parent / "kept", [])),
    ]:
        monkeypatch.setattr(mkdocs_hook.state, name, value)
    mkdocs_hook.on_post_build(config=config)
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(site))
    server.watch(config.docs_dir)
    server.watch(config.config_file_path)
    mkdocs_hook.on_serve(server, config, lambda: None)
    mkdocs_hook.on_post_build(config=config)
    assert asked == [False, True]
    server.server_close()
