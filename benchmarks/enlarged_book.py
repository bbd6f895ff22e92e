"""Writes this book with its chapters standing several times, to measure what a book of that size costs.

Everything that belongs to a chapter is copied under other names, in every room: text, modules, live figures, exercises,
labs with their records, and the tests of all these. What is shared (``snippets/domain.py``, the glossary, the press)
stands once. Each copy of a module or a chapter has a line of its own, so that nothing kept by its bytes makes it free.

A copy of a chapter uses the copies of all that chapters have: its cells run the copied modules, show the copied figures
and check the copied exercises. An edit of a module therefore makes stale what depends on it in one copy, not in all.
The package's front door stands once and leads to the first modules: what a chapter, a lab or a test takes from there, a
copy imports from the copied module itself (``from snippets.memory2.zero.formulas import zero_state_bytes``), and only
what is shared through the door. Functions and classes have the same names in each copy; chapters, exercises, records
and live figures have names of their own. So the door's table does not grow with the book, and a few tests of the
enlarged book fail that want a name, or an entry of that table, to be one module's alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("chapters", "snippets", "exercises", "labs", "tests")
LIVE = "live"  # what live figures share; each stands beside its subject
RECORDS = PurePosixPath("labs/recorded")
CONTENTS = PurePosixPath("chapters/contents.yml")
NOTATION = PurePosixPath("docs/notation.md")
DOOR = PurePosixPath("snippets/__init__.pyi")
TEXTS = {".md", ".py", ".pyi", ".json", ".svg", ".yml"}

Name = Callable[[re.Match[str], int], str]
Rule = tuple[re.Pattern[str], Name]


def enlarge(folder: Path, times: int, root: Path = ROOT) -> Path:
    """Write the book of ``root`` into a folder, with everything that belongs to a chapter ``times`` times.

    Git is not asked: what ``.gitignore`` names is left out, all else is taken.

    Raises:
        ValueError: the book has been enlarged already.
    """
    book = Names(root, tuple(files(root)))
    if times > 1 and any(part[-1].isdigit() for part in book.parts):
        raise ValueError(f"root must be a book that was not enlarged, got {root}")
    copies = range(2, times + 1)
    for path in book.files:
        content = (root / path).read_bytes()
        _write(folder / path, content, like=root / path)
        is_text = path.suffix in TEXTS
        if book.is_of_a_chapter(path):
            for copy in copies:
                copied = book.copied(path, content.decode(), copy).encode() if is_text else content
                _write(folder / book.place(path, copy), copied, like=root / path)
        elif is_text and times > 1:
            _write(folder / path, book.with_copies(path, content.decode(), copies).encode(), like=root / path)
    return folder


def files(root: Path) -> Iterator[PurePosixPath]:
    """Yield the book's files from its root, in order, without those that ``.gitignore`` names."""
    ignored = GitIgnoreSpec.from_lines([*(root / ".gitignore").read_text(encoding="utf-8").splitlines(), "/.git"])
    for folder, folders, names in os.walk(root):
        here = PurePosixPath(Path(folder).relative_to(root).as_posix())
        folders[:] = sorted(name for name in folders if not ignored.match_file(f"{here / name}/"))
        yield from (here / name for name in sorted(names) if not ignored.match_file(here / name))


def _write(path: Path, content: bytes, *, like: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(like.stat().st_mode)


def numbered(number: str, copy: int) -> str:
    """Return the number of a chapter's copy.

    >>> numbered("13", 2), numbered("05", 4), numbered("A1", 2)
    ('113', '305', 'A101')
    """
    digits = number.lstrip("aA")
    return f"{number[: -len(digits)]}{copy - 1}{int(digits):02}"


def _any(names: Iterable[str]) -> str:
    """Return a pattern for any of the names; it matches nothing where there is none."""
    return f"(?:{'|'.join(map(re.escape, sorted(names))) or '(?!)'})"


def _rule(pattern: str, name: Name) -> Rule:
    return re.compile(pattern, re.MULTILINE), name


def _with_suffix(found: re.Match[str], copy: int) -> str:
    return rf"{found[0]}\_{copy}" if "\\" in found[0] else f"{found[0]}_{copy}"


@dataclass(frozen=True)
class Names:
    """What has another name in each copy, found in the book's files, and how the names are replaced."""

    root: Path
    files: tuple[PurePosixPath, ...]

    @cached_property
    def parts(self) -> set[str]:
        """Folders that are a part of the book, in whichever room."""
        marks = ("index.md", "__init__.py")
        found = {path.parts[1] for path in self._in(*ROOMS) if len(path.parts) == 3 and path.name in marks}
        return found - {LIVE, "simulation", RECORDS.name}

    @cached_property
    def chapters(self) -> set[str]:
        """Names of the chapters' files, ``05-alpha-beta``."""
        return {path.stem for path in self._in("chapters") if re.match(r"a?\d+-", path.stem)}

    @cached_property
    def records(self) -> set[str]:
        """Recorded runs of labs."""
        return {path.stem for path in self._in("labs") if path.parent == RECORDS}

    @cached_property
    def unique(self) -> set[str]:
        """Names that the book has once: of live figures, and of modules that tests import by a bare name."""
        drawn = re.compile(r"^@live_figure\(.*?^def (\w+)\(", re.MULTILINE | re.DOTALL)
        figures = {name for path in self._in("snippets") for name in drawn.findall(self._text(path))}
        helpers = [path for path in self._in("tests") if path.parts[1] in self.parts and path.suffix == ".py"]
        return figures | {path.stem for path in helpers if not path.name.startswith(("test_", "conftest"))}

    @cached_property
    def asked(self) -> dict[tuple[str, ...], set[str]]:
        """The exercises of each chapter, by part and folder; the book has their names once, too."""
        asked: dict[tuple[str, ...], set[str]] = {}
        for path in self._in("exercises"):
            if re.search("^EXERCISE = ", self._text(path), re.MULTILINE):
                asked.setdefault(path.parts[1:3], set()).add(path.stem)
        return asked

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """How the names of tests begin that belong to a chapter but do not lie in the folder of its part."""
        names = self.parts | {folder for _, folder in self.asked}
        return tuple(f"test_{name.removesuffix('s')}" for name in names)

    @cached_property
    def opened(self) -> dict[str, tuple[str, str]]:
        """Names at the front door that lead to chapters' modules: for each the module, and its name there."""
        text = self._text(DOOR)
        entry = rf"^from (snippets\.{_any(self.parts)}\.\S+) import (\w+) as \2$"
        homes = {name: module for module, name in re.findall(entry, text, re.MULTILINE)}
        also = dict(re.findall(r"^(\w+) = (\w+)$", text, re.MULTILINE))
        called = {name: name for name in homes} | {name: own for name, own in also.items() if own in homes}
        return {name: (homes[own], own) for name, own in called.items()}

    def _in(self, *rooms: str) -> list[PurePosixPath]:
        return [path for path in self.files if path.parts[0] in rooms]

    def _text(self, path: PurePosixPath) -> str:
        return (self.root / path).read_text(encoding="utf-8") if path.suffix in TEXTS else ""

    def is_of_a_chapter(self, path: PurePosixPath) -> bool:
        """Return whether a file stands once for each copy."""
        if path.parts[0] not in ROOMS or len(path.parts) < 3:
            return False
        if path.parts[1] in self.parts or path.parent == RECORDS:
            return True
        return path.parts[0] == "tests" and path.parts[1] in ROOMS and path.stem.startswith(self.subjects)

    def place(self, path: PurePosixPath, copy: int) -> PurePosixPath:
        """Return where a copy of a file stands; pytest wants test modules to have bare names of their own."""
        new = PurePosixPath(self.renamed(path.as_posix(), copy))
        is_test = path.parts[0] == "tests" and path.name.startswith("test_")
        return new.with_stem(f"{new.stem}_{copy}") if is_test else new

    def renamed(self, text: str, copy: int, first: Sequence[Rule] = ()) -> str:
        """Return a text with the names of a copy for all that belongs to chapters; the rules given go first."""
        for pattern, name in (*first, *self._rules):
            text = pattern.sub(lambda found, name=name: name(found, copy), text)  # type: ignore[misc]
        return text

    @cached_property
    def _numbers(self) -> str:
        """A pattern for the chapters' numbers, as in files' names and as in text: 05 and 5."""
        in_names = {name.partition("-")[0] for name in self.chapters}
        return _any(in_names | {name.lstrip("0").upper() for name in in_names})

    @cached_property
    def _exercises(self) -> str:
        return _any(set().union(*self.asked.values()))

    @cached_property
    def _rules(self) -> list[Rule]:
        part, exercise, number = _any(self.parts), self._exercises, self._numbers

        def with_digit(found: re.Match[str], copy: int) -> str:
            return f"{found[0]}{copy}"

        def with_number(found: re.Match[str], copy: int) -> str:
            return re.sub(rf"\b{number}\b", lambda found: numbered(found[0], copy), found[0])

        return [
            # Folders of parts, in paths and links: memory/22-zero.md
            _rule(rf"(?<!\w){part}(?=/)", with_digit),
            # Packages, in imports and examples: snippets.memory.zero.formulas
            _rule(rf"\b{_any(ROOMS)}\.{part}\b", with_digit),
            # Tables by functions' names: "memory.zero.zero_state_bytes-ranks"
            _rule(rf"(?<=[\"']){part}(?=\.\w)", with_digit),
            # Files of chapters, which begin with a number: 22-zero, 37-llama-3
            _rule(rf"(?<![\w-])(?={_any(self.chapters)}(?![\w-])){number}(?=-)", with_number),
            # Titles, and links that show one: 22 · ZeRO
            _rule(rf"(?:^title: \"|^# |\[){number}(?= · )", with_number),
            # The line of a docstring by which the quick reference finds the chapter
            _rule(r"^ *Chapter: .*$", with_number),
            # Records of labs: labs/recorded/zero_fsdp.json, print_record("zero_fsdp")
            _rule(rf"(?:\brecorded/|_record\(\"){_any(self.records)}\b", _with_suffix),
            # Live figures, and what tests import from their own folder
            _rule(rf"(?<![\w-]){_any(self.unique)}(?![\w-])", _with_suffix),
            # Exercises, where a page asks or solves one: "solution: owners", memory/zero/owners.py
            _rule(rf"(?:\b(?:solution|exercise): |-k |\bexercises/\w+/\w+/){exercise}\b", _with_suffix),
            _rule(rf"\bexercises\.\w+\.\w+\.{exercise}\b", _with_suffix),
        ]

    def _imported_as_before(self, found: re.Match[str], copy: int) -> str:
        """Return an import whose solutions have the names of a copy there, and those that they had here."""
        source, names = found[0].split(" import ", 1)
        solution = rf"\b({self._exercises})\b(?: as (\w+))?"
        return f"{source} import " + re.sub(solution, lambda one: f"{one[1]}_{copy} as {one[2] or one[1]}", names)

    def _past_the_door(self, found: re.Match[str], copy: int) -> str:
        """Return an import from the front door as imports from the modules of chapters, which are renamed later."""
        taken: dict[str, list[str]] = {}
        for name, alias in re.findall(r"(\w+)(?: as (\w+))?", found[2]):
            module, own = self.opened.get(name, ("snippets", name))
            taken.setdefault(module, []).append(own if own == (alias or name) else f"{own} as {alias or name}")
        return "\n".join(f"{found[1]}from {module} import {', '.join(names)}" for module, names in taken.items())

    def _own_rules(self, path: PurePosixPath, text: str) -> list[Rule]:
        """Return what is replaced besides: in an exercise's own files, and in those that use exercises or the door."""
        return self._rules_of_asking(path) if path.parts[0] == "exercises" else self._rules_of_using(path, text)

    def _rules_of_asking(self, path: PurePosixPath) -> list[Rule]:
        asked = self.asked.get(path.parts[1:3], set())
        words = {word for word in asked if "_" in word}
        return [
            # What is no keyword, attribute or file
            _rule(rf"(?<![\w./]){_any(words)}(?![\w=]|\.py)", _with_suffix),
            # The same where it is a word of English, too: def owners(sizes, ranks), Exercise(owners, …)
            _rule(rf"(?<![\w.]){_any(asked - words)}(?=[)(`\",])", _with_suffix),
        ]

    def _rules_of_using(self, path: PurePosixPath, text: str) -> list[Rule]:
        imports = re.findall(r"^ *from exercises\.\w+\.\w+ import (\([^)]*\)|.*)$", text, re.MULTILINE)
        modules = re.findall(rf"\b({self._exercises})\b(?: as (\w+))?", " ".join(imports))
        rules = [
            # A cell goes on calling a solution, of its chapter or of another, by its name
            _rule(r"^ *from exercises\.\w+\.\w+(?:\.\w+)? import (?:\([^)]*\)|.*)$", self._imported_as_before),
            # In the exercise's module it has the copy's: owners.owners(sizes, ranks)
            *(_rule(rf"(?<![\w.]){alias or name}\.{name}\b", _with_suffix) for name, alias in modules),
            _rule(r"^( *)from snippets import (\([^)]*\)|.*)$", self._past_the_door),
        ]
        if path.parts[0] == "chapters":
            asked = self.asked.get((path.parts[1], path.stem.partition("-")[2].replace("-", "_")), set())
            escaped = {word.replace("_", r"\_") for word in asked if "_" in word}
            # Code within text, and hints, which come from the grader: `owners(sizes, ranks)`, fewest\_ranks
            rules.append(_rule(rf"(?<=`){_any(asked)}(?=[(`])|{_any(escaped)}\b", _with_suffix))
        return rules

    def copied(self, path: PurePosixPath, text: str, copy: int) -> str:
        """Return the text of a file's copy, with something in it that no other copy has."""
        text = self.renamed(text, copy, self._own_rules(path, text))
        if path.suffix == ".py":
            return f"{text}# Copy {copy}.\n"
        if path.parts[0] == "chapters" and path.name == "index.md":
            return re.sub(r"^(?:title: |# ).*", rf"\g<0> ({copy})", text, flags=re.MULTILINE)
        if path.parts[0] == "chapters" and path.stem in self.chapters:  # a number in a title has to be printed, too
            number = numbered(path.stem.partition("-")[0], copy)
            cell = f'```python tags=["remove-cell"]\nprint("copy {copy}, chapter {number}")\n```\n\n'
            return re.sub(r"^(?=## )", cell, text, count=1, flags=re.MULTILINE)
        return text

    def with_copies(self, path: PurePosixPath, text: str, copies: Sequence[int]) -> str:
        """Return a shared file's text with what it says of each chapter said of the copies, too."""
        if path == CONTENTS:
            parts = (re.sub(r"^\w+(?=:)", rf"\g<0>{copy}", text, flags=re.MULTILINE) for copy in copies)
            return text + "".join(self.renamed(part, copy) for part, copy in zip(parts, copies, strict=True))
        if path == NOTATION:  # where a chapter may differ
            return re.sub(
                rf"(?<= \| )({self._numbers})(, {self._numbers})*(?= \|$)",
                partial(self._with_numbers, copies=copies),
                text,
                flags=re.MULTILINE,
            )
        if path.match("tests/*.py"):
            return self._with_entries(text, copies)
        return text

    def _with_numbers(self, found: re.Match[str], copies: Sequence[int]) -> str:
        """Return a list of chapters, "A1, 2", with their copies."""
        numbers = found[0].split(", ")
        return ", ".join([*numbers, *(numbered(number, copy) for copy in copies for number in numbers)])

    def _with_entries(self, text: str, copies: Sequence[int]) -> str:
        """Return a test module with its tables by functions' names, and what their entries call, for copies, too."""
        part = _any(self.parts)
        imports = rf"^from snippets\.{part}\..* import (\([^)]*\)|.*)\n"
        used = {name for line in re.findall(imports, text, re.MULTILINE) for name in re.findall(r"\w+", line)}
        helper = r"^def (\w+)\(\).*\n(?:(?: .*)?\n)*"
        functions = re.finditer(helper, text, re.MULTILINE)
        helpers = {found[1] for found in functions if re.search(rf"\b{_any(used)}\b", found[0])}
        own = _rule(rf"(?<![\w.\"]){_any(used | helpers)}\b", _with_suffix)
        alias = _rule(rf"(?<![.\w]){_any(used)}\b", lambda found, copy: f"{found[0]} as {found[0]}_{copy}")
        # An entry that begins a line, to its closing bracket; one among others on a line
        entry = rf'^( +)"{part}\.\w.*\n(?:\1 .*\n|\1[)}}\]].*\n)*|, "snippets\.{part}\.[\w.]+"(?=[,)])'
        text = self._repeated(imports, text, copies, [alias])
        text = self._repeated(helper.replace(r"\w+", _any(helpers)), text, copies, [own])
        return self._repeated(entry, text, copies, [own])

    def _repeated(self, pattern: str, text: str, copies: Sequence[int], first: Sequence[Rule] = ()) -> str:
        """Return a text in which each piece of a pattern that leads to a chapter is followed by its copies."""

        def repeated(found: re.Match[str]) -> str:
            copied = [self.renamed(found[0], copy, first) for copy in copies]
            return "".join([found[0], *copied]) if copied[0] != found[0] else found[0]

        return re.sub(pattern, repeated, text, flags=re.MULTILINE)
