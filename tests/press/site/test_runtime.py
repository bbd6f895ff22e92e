"""What runs in a browser: the record agrees with the packages, the archives are whole and always the same bytes."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from base64 import b64decode
from collections.abc import Mapping
from hashlib import sha256, sha384
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from browser_fixtures import ROOT, need

from press.book import Book
from press.making.live import live_modules
from press.site import runtime
from press.site.exam import SUBJECT as EXAM_SUBJECT
from press.site.exercise_records import ExerciseRecords
from press.site.planner import SUBJECT
from snippets.live.declaring import LiveFigure, draw

MODULES = ROOT / "node_modules"
FILES = runtime.record()["files"]
ALL = [*FILES, *runtime.record()["slides"]]
ARCHIVE = runtime.Archive("figures-one", b"archive")
LOCKED = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]


def need_packages() -> None:
    need(MODULES.is_dir(), "needs what runs in a browser: run `npm ci` and run pytest again")


def book(root: Path) -> Book:
    return Book(root, docs="docs", source_url="", extensions=[], extension_configs={})


def made(root: Path) -> dict[str, bytes]:
    """Return what the build writes for the runtime, but for the packages' own files."""
    return {name: content for name, content in book(root).runtime().items() if isinstance(content, bytes)}


@pytest.mark.parametrize("file", ALL, ids=[file["name"] for file in ALL])
def test_a_version_is_that_of_the_lock_file(file: Mapping[str, Any]) -> None:
    assert file["version"] == LOCKED[f"node_modules/{file['package']}"]["version"]


def test_what_the_book_asks_for_is_pinned_to_one_version() -> None:
    asked = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"]
    recorded = {file["package"]: file["version"] for file in ALL}
    assert asked == {package: recorded[package] for package in asked}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in asked.values())


@pytest.mark.browser
@pytest.mark.parametrize("file", ALL, ids=[file["name"] for file in ALL])
def test_size_and_hash_are_those_of_the_file(file: Mapping[str, Any]) -> None:
    need_packages()
    content = (MODULES / file["package"] / file["path"]).read_bytes()
    kind, _, digest = file["integrity"].partition("-")
    assert (kind, b64decode(digest)) == ("sha384", sha384(content).digest())
    assert file["bytes"] == len(content)


@pytest.mark.browser
def test_a_survey_of_the_packages_gives_the_record() -> None:
    need_packages()
    assert runtime.survey(MODULES) == runtime.record()


IMPORTS = """
const { SourceTextModule } = require("node:vm");
const { readFileSync } = require("node:fs");
const modules = process.argv.slice(1).map((path) => new SourceTextModule(readFileSync(path, "utf8")));
process.stdout.write(JSON.stringify(modules.map((module) => module.dependencySpecifiers)));
"""


@pytest.mark.browser
def test_each_of_the_editors_modules_comes_after_what_it_imports() -> None:
    """Asked of Node, which parses the modules; the page starts them in this order."""
    need_packages()
    need(shutil.which("node"), "needs Node.js: install it and run pytest again")
    editor = [file for file in FILES if file["package"] != "pyodide"]
    paths = [str(MODULES / file["package"] / file["path"]) for file in editor]
    command = ["node", "--experimental-vm-modules", "-e", IMPORTS, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imports, order = json.loads(done.stdout), [file["package"] for file in editor]
    assert sum(map(len, imports)) > len(order)
    for number, needed in enumerate(imports):
        assert set(needed) <= set(order[:number]), order[number]
    assert runtime.manifest(here=True, archives={})["editor"] == order


def test_no_package_that_the_editor_needs_is_missing_and_none_is_there_for_nothing() -> None:
    """By the lock file, which knows what each package needs without a look at its code."""
    wanted = {"@codemirror/commands", "@codemirror/lang-python", "@codemirror/language", "@codemirror/view"}
    needed, new = set(wanted), set(wanted)
    while new:
        new = {name for package in new for name in LOCKED[f"node_modules/{package}"].get("dependencies", {})} - needed
        needed |= new
    assert {file["package"] for file in FILES} == needed | {"pyodide"}


def installed_in(root: Path) -> None:
    """Put packages with the record's versions there, their files empty."""
    for file in FILES:
        package = root / "node_modules" / file["package"]
        (package / file["path"]).parent.mkdir(parents=True, exist_ok=True)
        (package / file["path"]).touch()
        (package / "package.json").write_text(json.dumps({"version": file["version"]}), encoding="utf-8")


def test_the_packages_are_here_only_with_every_file_and_the_recorded_versions(tmp_path: Path) -> None:
    assert not runtime.installed(tmp_path)
    installed_in(tmp_path)
    assert runtime.installed(tmp_path)
    described = tmp_path / "node_modules/pyodide/package.json"
    before = described.read_text(encoding="utf-8")
    for other in ('{"version": "0.1.0"}', "{}", "not JSON"):
        described.write_text(other, encoding="utf-8")
        assert not runtime.installed(tmp_path)
    described.write_text(before, encoding="utf-8")
    (tmp_path / "node_modules/pyodide/pyodide.asm.wasm").unlink()
    assert not runtime.installed(tmp_path)


def test_with_the_packages_the_site_has_every_file_that_a_page_asks_for(tmp_path: Path) -> None:
    installed_in(tmp_path)
    files = runtime.files(tmp_path, {"figures/one": [ARCHIVE]})
    manifest = json.loads(bytes(files[runtime.MANIFEST]))
    assert manifest["host"] == ""
    for file in FILES:
        entry = manifest["files"][file["name"]]
        assert entry == {"url": f"{file['package']}@{file['version']}/{file['path']}", "bytes": file["bytes"]}
        copied = files[f"{runtime.FOLDER}/{entry['url']}"]
        path = tmp_path / "node_modules" / file["package"] / file["path"]
        assert copied == (path if file["package"] == "pyodide" else path.read_bytes())
    assert manifest["archives"] == {"figures/one": [ARCHIVE.file]}
    assert files[f"{runtime.FOLDER}/{ARCHIVE.file}"] == b"archive"
    assert len(files) == len(FILES) + 2


def test_with_the_packages_the_site_has_what_shows_slides(tmp_path: Path) -> None:
    assert runtime.slides_files(tmp_path) == {}
    for file in runtime.record()["slides"]:
        path = tmp_path / "node_modules" / file["package"] / file["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "node_modules/reveal.js/package.json").write_text(json.dumps({"version": file["version"]}))
    names = [name.removeprefix(f"{runtime.FOLDER}/reveal.js@") for name in runtime.slides_files(tmp_path)]
    version = file["version"]
    assert names == [f"{version}/{path}" for path in runtime.SLIDES_FILES]
    assert not runtime.installed(tmp_path)


def test_the_site_has_the_editor_with_imports_that_a_browser_follows(tmp_path: Path) -> None:
    """So that no script has to come from memory: the page's policy forbids that."""
    installed_in(tmp_path)
    package = tmp_path / "node_modules/@codemirror/state/dist/index.js"
    package.write_text(
        "import { a as b } from '@marijn/find-cluster-break';\nimport elt from \"crelt\";\nexport { state };\n"
        "const said = \"from 'crelt'\";\n"
    )
    files = runtime.files(tmp_path, {})
    urls = {file["name"]: f"{file['package']}@{file['version']}/{file['path']}" for file in FILES}
    text = bytes(files[f"{runtime.FOLDER}/{urls['@codemirror/state']}"]).decode()
    assert text.splitlines() == [
        f"import {{ a as b }} from './../../../{urls['@marijn/find-cluster-break']}';",
        f'import elt from "./../../../{urls["crelt"]}";',
        "export { state };",
        "const said = \"from 'crelt'\";",
    ]


def test_without_them_each_file_comes_from_elsewhere_with_its_hash(tmp_path: Path) -> None:
    files = runtime.files(tmp_path, {"figures/one": [ARCHIVE]})
    manifest = json.loads(bytes(files[runtime.MANIFEST]))
    assert manifest["host"] == "https://cdn.jsdelivr.net"
    assert len(files) == 2
    for file in FILES:
        entry = manifest["files"][file["name"]]
        assert entry["url"] == f"https://cdn.jsdelivr.net/npm/{file['package']}@{file['version']}/{file['path']}"
        assert (entry["integrity"], entry["bytes"]) == (file["integrity"], file["bytes"])


def test_archives_are_the_same_bytes_twice_and_from_another_folder(tmp_path: Path) -> None:
    first = made(ROOT)
    assert first == made(ROOT)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "snippets", tmp_path / "snippets", copy_function=shutil.copyfile, ignore=ignored)
    for path in (tmp_path / "snippets").rglob("*"):
        os.utime(path, (10**9, 10**9))
        path.chmod(0o700)
    figures = {name: content for name, content in first.items() if "/figures-" in name}
    assert len(figures) == 1 + len(live_modules(ROOT))
    again = made(tmp_path)
    assert {name: again[name] for name in figures} == figures


@pytest.mark.nightly
def test_an_archives_name_changes_with_its_content(tmp_path: Path) -> None:
    for name, content in made(ROOT).items():
        if name.endswith(".zip"):
            assert name.rpartition("-")[2] == f"{sha256(content).hexdigest()[:12]}.zip"
    shutil.copytree(ROOT / "snippets", tmp_path / "snippets", ignore=shutil.ignore_patterns("__pycache__"))
    before = made(tmp_path).keys()
    for changed, archives in (("live/knobs.py", 2), ("memory/zero/live.py", 1), ("palette.py", 1)):
        path = tmp_path / "snippets" / changed
        path.write_text(path.read_text(encoding="utf-8") + "ADDED = 1\n", encoding="utf-8")
        after = made(tmp_path).keys()
        assert len([name for name in after - before if name.endswith(".zip")]) == archives, changed
        before = after


def test_what_all_subjects_need_is_in_one_archive() -> None:
    """A page asks for that and for its subject's own; so neither grows with the book."""
    whole = book(ROOT)
    whole.write_pages("snippets")
    files = {name: content for name, content in whole.runtime().items() if isinstance(content, bytes)}
    archives = json.loads(files[runtime.MANIFEST])["archives"]
    assert {subject.partition("/")[0] for subject in archives} == {"figures", "exercises", "pages"}
    for page in (SUBJECT, EXAM_SUBJECT, "pages/traces"):
        (own,) = archives.pop(page)
        assert own.startswith(f"{page.replace('/', '-')}-")
        assert len(files[f"{runtime.FOLDER}/{own}"]) < 210_000
    for subject, (shared, own) in archives.items():
        assert shared.startswith(f"{subject.partition('/')[0]}-")
        assert own.startswith(f"{subject.replace('/', '-')}-")
        packed = [files[f"{runtime.FOLDER}/{name}"] for name in (shared, own)]
        common, rest = (set(zipfile.ZipFile(io.BytesIO(content)).namelist()) for content in packed)
        assert not common & rest
        assert sum(map(len, packed)) < 210_000, (subject, [len(content) for content in packed])
    assert len({shared for shared, _ in archives.values()}) == 2


def alone(folder: Path, code: str, given: Any) -> Any:
    """Run code in a Python that has the standard library and a folder, nothing else, and return what it writes."""
    start = "import json, sys\nsys.path.insert(0, sys.argv[1])\ngiven = json.load(sys.stdin)\n"
    command = [sys.executable, "-S", "-I", "-B", "-c", start + code, str(folder)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


DRAW_ALL = """
from importlib import import_module
for module in given["modules"]:
    import_module(module)
from snippets.live.declaring import draw
drawn = {name: draw(module, name, "{}") for module, name in given["figures"]}
elsewhere = [name for name, module in sys.modules.items()
             if name.startswith("snippets") and not module.__file__.startswith(sys.argv[1])]
print(json.dumps([drawn, elsewhere]))
"""


def test_every_figure_is_drawn_with_its_archives_alone(tmp_path: Path) -> None:
    files = made(ROOT)
    archives = json.loads(files[runtime.MANIFEST])["archives"]
    tried = 0
    for module in live_modules(ROOT):
        for name in archives[f"figures/{module}"]:
            with zipfile.ZipFile(io.BytesIO(files[f"{runtime.FOLDER}/{name}"])) as packed:
                assert packed.testzip() is None
                packed.extractall(tmp_path / module)
        values = vars(import_module(module)).values()
        figures = [(module, value.name) for value in values if isinstance(value, LiveFigure) and value.module == module]
        drawn, elsewhere = alone(tmp_path / module, DRAW_ALL, {"modules": [module], "figures": figures})
        assert elsewhere == []
        assert drawn == {name: draw(module, name, "{}") for module, name in figures}
        assert all("drawn" in json.loads(picture) for picture in drawn.values())
        tried += len(figures)
    assert tried >= 9


def test_an_archive_of_exercises_is_the_same_each_time() -> None:
    """``tests/grader/test_page.py`` grades with its files alone."""
    archives = [runtime.archive(ExerciseRecords(ROOT).page_files("memory/zero")) for _ in range(2)]
    assert archives[0] == archives[1]
