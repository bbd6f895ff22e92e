"""A release: its tag is the version, its files are whole, and the site can be read from where it is unpacked."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from small_book import SmallBook

from press.site.addresses import PACKAGE
from press.site.feed import notes
from snippets.version import BOOK_VERSION

ROOT = Path(__file__).parents[2]
NAME = f"{PACKAGE}-{BOOK_VERSION}"
TAG = f"v{BOOK_VERSION}"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def release(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".ci/release"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_only_the_version_s_own_tag_is_released() -> None:
    assert release(TAG).returncode == 0
    for tag in (BOOK_VERSION, "v0.0.1", f"{TAG}.1", "vmain"):
        done = release(tag)
        assert done.returncode == 1
        assert done.stderr == (f".ci/release: the tag must be {TAG}, the version in pyproject.toml, got {tag!r}\n")


def test_a_site_without_its_editions_is_refused(tmp_path: Path) -> None:
    done = release(TAG, str(tmp_path), str(tmp_path / "release"))
    assert done.returncode == 1
    assert "build the site by BOOK_DOWNLOADS=1 .ci/run site" in done.stderr
    assert not (tmp_path / "release").exists()


@pytest.fixture(scope="module")
def released(whole_book: SmallBook, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a release of a small book's site, in which its editions are made up."""
    folder = tmp_path_factory.mktemp("release")
    book = whole_book.copied(folder / "book")
    done = book.build()
    assert done.returncode == 0, done.stderr
    downloads = book.root / "site/downloads"
    downloads.mkdir()
    for kind in (".pdf", ".epub"):
        (downloads / f"{PACKAGE}{kind}").write_text(kind)
    (folder / "release").mkdir()
    (folder / "release/of-before").touch()
    done = release(TAG, str(book.root / "site"), str(folder / "release"))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.book
def test_a_release_has_these_files_and_their_sums(released: Path) -> None:
    files = {path.name for path in (released / "release").iterdir()}
    package = PACKAGE.replace("-", "_")
    assert files == {
        *(f"{NAME}{end}" for end in ("-site.zip", "-site.tar.gz", "-notebooks.zip", ".pdf", ".epub")),
        f"{package}-{BOOK_VERSION}-py3-none-any.whl",
        f"{package}-{BOOK_VERSION}.tar.gz",
        "SHA256SUMS",
        "notes.md",
    }
    lines = (released / "release/SHA256SUMS").read_text().splitlines()
    assert {line.split("  ")[1] for line in lines} == files - {"SHA256SUMS", "notes.md"}
    for line in lines:
        total, name = line.split("  ")
        assert hashlib.sha256((released / "release" / name).read_bytes()).hexdigest() == total
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (released / "release/notes.md").read_text(encoding="utf-8") == f"{notes(changelog, BOOK_VERSION)}\n"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.book
def test_the_site_is_whole_in_both_archives(released: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(released / f"release/{NAME}-site.zip", tmp_path / "zip")
    with tarfile.open(released / f"release/{NAME}-site.tar.gz") as archive:
        archive.extractall(tmp_path / "tar", filter="data")
    site = contents(released / "book/site")
    assert contents(tmp_path / "zip" / NAME) == contents(tmp_path / "tar" / NAME) == site


@pytest.mark.book
def test_the_notebooks_of_all_chapters_are_there(released: Path) -> None:
    with zipfile.ZipFile(released / f"release/{NAME}-notebooks.zip") as archive:
        names = {name.removeprefix(f"{NAME}-notebooks/") for name in archive.namelist()}
    assert names == {"part/01-one/01-one.ipynb", "part/02-two/02-two.ipynb"}


@pytest.mark.book
def test_every_page_of_an_unpacked_site_leads_to_files_of_it(released: Path) -> None:
    """It is served from its own folder, not below the address for which it was built."""
    site = released / "book/site"
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]  # which may stand anywhere
    assert len(pages) >= 5
    for page in pages:
        for written in re.findall(r'(?:href|src)="([^"#][^"]*)"', page.read_text(encoding="utf-8")):
            parts = urlsplit(written)
            if not parts.scheme and not parts.netloc:
                assert not parts.path.startswith("/"), f"{page}: {written}"
                target = page.parent / unquote(parts.path)
                assert (target / "index.html" if target.is_dir() else target).is_file(), f"{page}: {written}"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_use_the_same_actions_pinned_by_hash(workflow: Path) -> None:
    pinned = re.compile(r"uses: (?P<name>[\w/-]+)@(?P<hash>\w+) # v[\d.]+$", re.MULTILINE)
    known = {match["name"]: match["hash"] for path in WORKFLOWS for match in pinned.finditer(path.read_text())}
    text = workflow.read_text(encoding="utf-8")
    assert text.count("uses: ") == len(pinned.findall(text))
    for match in pinned.finditer(text):
        assert match["hash"] == known[match["name"]]
        assert re.fullmatch(r"[0-9a-f]{40}", match["hash"])


def test_only_the_job_that_makes_the_release_may_write() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    writing = {name for name, job in workflow["jobs"].items() if "write" in job.get("permissions", {}).values()}
    assert writing == {"release"}
    assert not any("uses" in step for step in workflow["jobs"]["release"]["steps"])
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML reads the key `on` as true


@pytest.mark.parametrize("name", ["pages", "release"])
def test_a_published_site_knows_its_repository_and_its_own_domain(name: str) -> None:
    jobs = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8"))["jobs"].values()
    [build] = [step for job in jobs for step in job["steps"] if step.get("run") == ".ci/run site"]
    assert build["env"]["BOOK_REPOSITORY"] == "${{ github.server_url }}/${{ github.repository }}"
    assert build["env"]["BOOK_SITE"] == "${{ vars.BOOK_SITE }}"


def test_a_fork_without_pages_is_told_so_before_anything_is_built() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8"))["jobs"]
    assert "needs" not in jobs["pages"]
    assert jobs["pages"]["if"] == jobs["deploy"]["if"]
    assert "pages" in jobs["deploy"]["needs"]
    [step] = jobs["pages"]["steps"]
    folder = Path(shutil.which("bash") or "/bin/bash").parent
    for answer, code in (("workflow", 0), ("legacy", 1), ("", 1)):
        gh = f"gh() {{ echo {answer}; }}\n"
        done = subprocess.run([str(folder / "bash"), "-ec", gh + step["run"]], capture_output=True, text=True)
        assert done.returncode == code
        assert ("Settings, Pages" in done.stdout) is bool(code)
