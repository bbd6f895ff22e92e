"""What ``pip install`` takes elsewhere: the snippets alone, with all their data."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from press.site.addresses import PACKAGE
from snippets.version import BOOK_VERSION

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OTHERS = {"press", "grader", "exercises", "labs", "tests", "benchmarks"}


def test_package_site_and_snippets_call_the_book_and_its_version_the_same() -> None:
    assert PROJECT["name"] == PACKAGE
    assert PROJECT["version"] == BOOK_VERSION


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the wheel and the source distribution, built from a copy by what pyproject.toml pins."""
    folder = tmp_path_factory.mktemp("built")
    command = [str(ROOT / ".ci/package"), str(folder)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.book
def test_a_wheel_has_the_snippets_alone_and_all_their_data(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as read:
        names = [name for name in read.namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in names} == {"snippets"}
    files = [path for path in (ROOT / "snippets").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {*names} == {path.relative_to(ROOT).as_posix() for path in files}


@pytest.mark.book
def test_a_source_distribution_has_nothing_of_the_others(built: Path) -> None:
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as read:
        names = {name.split("/")[1] for name in read.getnames() if "/" in name}
    assert {"pyproject.toml", "snippets", "LICENSE"} <= names
    assert not names & OTHERS


@pytest.fixture(scope="module")
def unpacked(built: Path) -> Path:
    """Return a folder with the package as pip would unpack it."""
    folder = built / "unpacked"
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as read:
        read.extractall(folder)
    return folder


@pytest.mark.book
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--version"], f"{BOOK_VERSION}\n"),
        (["memory", "--model", "Llama 3 70B", "--gpus", "64", "--zero", "3", "--sequence", "8192"], "on one GPU"),
        (["exam", "--seed", "7"], "To answer: "),
        (["plan", "--model", "Llama 3 70B", "--nodes", "32", "--sequence", "8192", "--tokens", "4e6"], "--why 1"),
        (["plan", "--check"], "Not predicted"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_package_answers_from_anywhere(unpacked: Path, tmp_path: Path, asked: list[str], said: str) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r}); from snippets.command_line import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code, *asked], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.book
def test_every_module_of_the_package_can_be_imported_without_the_book(unpacked: Path, tmp_path: Path) -> None:
    code = (
        "import importlib, pkgutil, sys\n"
        f"sys.path[:] = [{str(unpacked)!r}, *(path for path in sys.path if path != {str(ROOT)!r})]\n"
        "import snippets\n"
        "for module in pkgutil.walk_packages(snippets.__path__, 'snippets.'):\n"
        "    if not module.name.endswith('__main__'): importlib.import_module(module.name)\n"
        f"print(sorted({OTHERS!r} & {{name.split('.')[0] for name in sys.modules}}), snippets.__file__)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == f"[] {unpacked / 'snippets/__init__.py'}\n", done.stderr


@pytest.mark.book
def test_an_editable_install_puts_the_whole_book_on_the_path(tmp_path: Path) -> None:
    """As the README installs it: kernels and tests find the other packages wherever they are started."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    for name in ("snippets", "grader"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    code = "import setuptools.build_meta as build; print(build.build_editable('.'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as read:
        [path] = [name for name in read.namelist() if name.endswith(".pth")]
        assert read.read(path).decode().strip() == str(tmp_path)


def test_the_snippets_import_nothing_of_the_rest() -> None:
    """A snippet imports none of the others, also within a function."""
    for path in (ROOT / "snippets").rglob("*.py"):
        found = re.findall(
            rf"^\s*(?:from|import) ({'|'.join(OTHERS)})\b", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert not found, path
