"""Brings what runs in a reader's browser to the site: Pyodide, the editor, and the book's own Python as archives.

``press/site/runtime.json`` names the packages, their versions (those of ``package-lock.json``) and, for each file that
the page may ask for, its size and hash; apart from these the files that show slides. After ``npm ci`` the files are
copied from ``node_modules`` and the site needs no other host; without it the page asks jsDelivr for the same files and
checks each against its hash. ``python -m press.site.runtime`` writes ``runtime.json`` anew after a change of versions.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256, sha384
from pathlib import Path
from typing import Any

from grader.whole_files import write_whole

CDN = "https://cdn.jsdelivr.net"
FOLDER = "assets/runtime"
MANIFEST = f"{FOLDER}/manifest.json"
RECORD = Path(__file__).with_name("runtime.json")
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
SLIDES = "slides"  # the record's files that show slides
SLIDES_FILES = ("dist/reveal.css", "dist/reveal.js", "dist/plugin/notes.js")
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a zip's dates: the same files give the same archive
_SPEAKERS_SCRIPT = re.compile(r"<script>(.*?)<\\/script>", re.DOTALL)
_IMPORT = re.compile(r'^(?:import|export)\b[^;]*?\bfrom\s*[\'"]([^\'"]+)[\'"]', re.MULTILINE)


Files = Mapping[str, Path | bytes]


@dataclass(frozen=True)
class Archive:
    """Some of the book's own Python, packed.

    Attributes:
        name: what its file's name begins with.
        content: the zip.
    """

    name: str
    content: bytes

    @property
    def file(self) -> str:
        """The name of its file, another one for other content."""
        return f"{self.name}-{sha256(self.content).hexdigest()[:12]}.zip"


def record() -> dict[str, Any]:
    """Return what ``runtime.json`` holds."""
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def installed(root: Path, kind: str = "files") -> bool:
    """Say whether ``npm ci`` has put the packages of the record, of its files or its slides, into ``node_modules``."""
    return all(
        (root / "node_modules" / file["package"] / file["path"]).is_file()
        and version_in(root / "node_modules" / file["package"]) == file["version"]
        for file in record()[kind]
    )


def version_in(package: Path) -> str:
    """Return the version of an installed package, ``""`` if there is none."""
    try:
        return str(json.loads((package / "package.json").read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError):
        return ""


def files(root: Path, archives: Mapping[str, Sequence[Archive]]) -> dict[str, bytes | Path]:
    """Return the runtime's files by their place on the site: bytes, or the file to copy.

    Args:
        root: the book's folder.
        archives: the book's own Python, by the subject for which a page asks for it (``exercises/memory/zero``).
    """
    made: dict[str, bytes | Path] = {}
    here = installed(root)
    if here:
        for file in record()["files"]:
            found = root / "node_modules" / file["package"] / file["path"]
            made[f"{FOLDER}/{_address(file)}"] = found if file["package"] == "pyodide" else _led(file, found)
    made |= {f"{FOLDER}/{archive.file}": archive.content for several in archives.values() for archive in several}
    names = {subject: [archive.file for archive in several] for subject, several in archives.items()}
    made[MANIFEST] = json.dumps(manifest(here=here, archives=names), indent=1).encode()
    return made


def slides_files(root: Path) -> dict[str, Path]:
    """Return the files that show slides by their place on the site, none if ``node_modules`` lacks them."""
    wanted = record()[SLIDES] if installed(root, SLIDES) else []
    return {f"{FOLDER}/{_address(file)}": root / "node_modules" / file["package"] / file["path"] for file in wanted}


def slides_urls(way: str, *, here: bool) -> list[tuple[str, str]]:
    """Return where a deck finds the files that show it, each with its hash if it is on another host, else ``""``.

    Args:
        way: from the deck to the site's root, ``../../``.
        here: whether the site itself has the files.
    """
    found = [(_address(file), file["integrity"]) for file in record()[SLIDES]]
    return [(f"{way}{FOLDER}/{at}", "") if here else (f"{CDN}/npm/{at}", integrity) for at, integrity in found]


def manifest(*, here: bool, archives: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what the page's scripts read first: where each file is, how large it is, and from elsewhere its hash.

    Args:
        here: whether the site itself has the files.
        archives: the archives' files, by subject.
    """
    entries = {}
    for file in record()["files"]:
        address = _address(file)
        elsewhere = {"url": f"{CDN}/npm/{address}", "integrity": file["integrity"]}
        entries[file["name"]] = {**({"url": address} if here else elsewhere), "bytes": file["bytes"]}
    editor = [file["name"] for file in record()["files"] if file["package"] != "pyodide"]
    return {
        "host": "" if here else CDN,
        "files": entries,
        "editor": editor,
        "archives": {subject: list(names) for subject, names in archives.items()},
    }


def _led(file: Mapping[str, Any], found: Path) -> bytes:
    """Return a package of the editor that imports the others by their addresses, as a browser does."""
    addresses = {other["name"]: _address(other) for other in record()["files"]}
    here = posixpath.dirname(_address(file))

    def led(match: re.Match[str]) -> str:
        address = posixpath.relpath(addresses[match[1]], here)
        return f"{match[0][: match.start(1) - match.start()]}./{address}{match[0][-1]}"

    return _IMPORT.sub(led, found.read_text(encoding="utf-8")).encode()


def _address(file: Mapping[str, Any]) -> str:
    return f"{file['package']}@{file['version']}/{file['path']}"


def archives(
    kind: str, common: Files, subjects: Mapping[str, Files], pack: Callable[[Files], bytes]
) -> dict[str, list[Archive]]:
    """Return the archives of subjects: one that all of them have, and each subject's own with the rest of its files.

    Args:
        kind: ``figures`` or ``exercises``; the subjects' names begin with it.
        common: the files that every subject needs.
        subjects: by its name, all files of a subject.
        pack: makes a zip, such as ``archive``.
    """
    shared = Archive(kind, pack(common))
    found = {}
    for subject, files in subjects.items():
        own = {name: content for name, content in files.items() if name not in common}
        found[f"{kind}/{subject}"] = [shared, Archive(f"{kind}-{subject.replace('/', '-')}", pack(own))]
    return found


def archive(files: Files) -> bytes:
    """Return files, by their names in it, as a zip; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(entry, _read(content))
    return buffer.getvalue()


def lean_archive(files: Files, *, folder: str = "") -> bytes:
    """Return files as a zip, modules of a folder without docstrings and comments: half the bytes, the same answers."""
    lean = {name for name in files if name.endswith(".py") and name.startswith(folder)}
    return archive({name: _lean(_read(content)) if name in lean else content for name, content in files.items()})


def exercises_archive(files: Files) -> bytes:
    """Return files as a zip: an exercise's own modules as they are, for the grader reads their texts."""
    return lean_archive(files, folder="snippets/")


def _read(content: Path | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


@cache  # one module is in the archives of many figures and exercises
def _lean(module: bytes) -> bytes:
    try:
        tree = ast.parse(module)
    except SyntaxError:  # which the build reports by its line, and goes on
        return module
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body[:1] = [] if len(node.body) > 1 or isinstance(node, ast.Module) else [ast.Pass()]
    return ast.unparse(tree).encode()


def survey(modules: Path) -> dict[str, Any]:
    """Return what the record has to hold for the packages in a ``node_modules``: the editor's in order of need."""
    entries = [_entry(modules, "pyodide", path, path) for path in PYODIDE_FILES]
    wanted = ["@codemirror/commands", "@codemirror/lang-python", "@codemirror/language", "@codemirror/view"]
    entries += [_entry(modules, package, package, _main(modules / package)) for package in _in_order(modules, wanted)]
    return {"files": entries, SLIDES: _slides(modules)}


def _slides(modules: Path) -> list[dict[str, Any]]:
    """Return what the record has of the slides' files, with the hash of the script in the speaker's window."""
    entries = [_entry(modules, "reveal.js", Path(path).name, path) for path in SLIDES_FILES]
    for entry in entries:
        text = (modules / entry["package"] / entry["path"]).read_text(encoding="utf-8")
        if script := _SPEAKERS_SCRIPT.search(text):
            written = script[1].replace("\\\\", "\\")  # it stands in a template of JavaScript
            entry["inline"] = "sha256-" + base64.b64encode(sha256(written.encode()).digest()).decode()
    return entries


def _entry(modules: Path, package: str, name: str, path: str) -> dict[str, Any]:
    content = (modules / package / path).read_bytes()
    return {
        "name": name,
        "package": package,
        "version": version_in(modules / package),
        "path": path,
        "bytes": len(content),
        "integrity": "sha384-" + base64.b64encode(sha384(content).digest()).decode(),
    }


def _main(package: Path) -> str:
    described = json.loads((package / "package.json").read_text(encoding="utf-8"))
    return str(described["exports"]["import"]).removeprefix("./")


def _in_order(modules: Path, wanted: Iterable[str]) -> list[str]:
    """Return packages and what they import, each after what it imports itself."""
    order: list[str] = []

    def visit(package: str) -> None:
        if package not in order:
            text = (modules / package / _main(modules / package)).read_text(encoding="utf-8")
            for needed in sorted(set(_IMPORT.findall(text))):
                visit(needed)
            order.append(package)

    for package in wanted:
        visit(package)
    return order


def main() -> None:
    """Write the record anew."""
    root = Path(__file__).parents[2]
    write_whole(RECORD, json.dumps(survey(root / "node_modules"), indent=1) + "\n")


if __name__ == "__main__":
    main()
