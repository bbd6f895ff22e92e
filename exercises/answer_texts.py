"""One text for each exercise, as the page has them, and the one file that pytest grades: each made of the other.

A text has what its exercise needs, so that it runs alone. In the file, what texts share stands once, and what they
define differently under one name is renamed in all but one of them. Nothing that a reader wrote is lost either way.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exercises.catalogue import Chapter
from exercises.statements import UNREADABLE, Names, Statement, names_in, normal, renamed, statements

_KEPT_BLOCK = re.compile(r"^# (\w+) as it was written cannot be read by Python.*\n((?:#\|.*(?:\n|\Z))+)", re.MULTILINE)
_NEWLINE = "\n"  # before Python 3.12 no backslash may stand inside an f-string
_BUILT_IN = frozenset(dir(builtins))


@dataclass(frozen=True)
class Asked:
    """What a chapter asks for.

    Attributes:
        opening: what ``stub.py`` begins with, up to its imports: the docstring.
        parts: the statements of ``stub.py``.
        stubs: for each exercise's name the text to start with, in the chapter's order.
    """

    opening: str
    parts: list[Statement]
    stubs: Mapping[str, str]

    @classmethod
    def by(cls, chapter: Chapter) -> Asked:
        """Return what a chapter asks for."""
        parts = parts_of((chapter.folder / "stub.py").read_text(encoding="utf-8"))
        ordered = sorted(chapter.exercises.values(), key=lambda exercise: exercise.number)
        stubs = {exercise.name: text_for(parts, exercise.name) for exercise in ordered}
        return cls(parts[0].source if parts[0].is_text else "", parts, stubs)


def cut(asked: Asked, text: str) -> dict[str, Any]:
    """Cut a file of answers into ``texts``, one for each exercise, with a ``notice`` for the reader.

    What belongs to no exercise goes to the one that it tries out, or else to the first.
    """
    kept = {name: _uncommented(lines) for name, lines in _KEPT_BLOCK.findall(normal(text)) if name in asked.stubs}
    text = _KEPT_BLOCK.sub(lambda block: "" if block[1] in asked.stubs else block[0], normal(text))
    try:
        texts, notice = _cut(asked, parts_of(text)), ""
    except UNREADABLE as error:
        first = next(iter(asked.stubs))
        texts = {first: text}
        notice = f"Python cannot read this file ({_reason(error)}), so all of it is in the text of {first}."
    texts = {**asked.stubs, **texts}
    for name, old in kept.items():
        texts[name] = old if texts[name] == asked.stubs[name] else f"{texts[name]}\n\n{_commented(name, old)}"
    return {"texts": texts, "notice": notice}


def _cut(asked: Asked, parts: Sequence[Statement]) -> dict[str, str]:
    """Give each statement to the exercises that need it."""
    written = [name for name in asked.stubs if any(name in part.names.binds for part in parts)]
    chosen = {name: _needed(parts, name) for name in written}
    book = {part.meaning for part in asked.parts} | {""}
    remarks = {remark for part in asked.parts for remark in part.comments}
    for part in parts:
        is_the_books = part.meaning in book and remarks.issuperset(part.comments)
        if is_the_books or any(part is one for needed in chosen.values() for one in needed):
            continue
        owner = next((name for name in written if name in part.names.uses), (*written, *asked.stubs)[0])
        more = [part, *chosen.get(owner, []), *(other for name in part.names.uses for other in _needed(parts, name))]
        chosen[owner] = [other for other in parts if any(other is one for one in more)]
    return {name: _text(needed) for name, needed in chosen.items()}


def parts_of(text: str) -> list[Statement]:
    """Return a text's statements; each import brings one name, and the annotations' future is left out."""
    found: list[Statement] = []
    for statement in statements(text):
        if not statement.imports and not statement.is_text:
            found.append(statement)
            continue
        if statement.comments:
            found.append(Statement("\n".join(statement.comments), (), Names()))
        if statement.is_text:
            found.append(statement.bare)
        for node in _single_imports(statement.nodes):
            if ast.unparse(node) != "from __future__ import annotations":
                found.append(Statement(ast.unparse(node), (node,), names_in([node])))
    return found


def _single_imports(nodes: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (ast.Import([alias]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)


def text_for(parts: Sequence[Statement], name: str) -> str:
    """Return a text of what a name needs, so that it runs alone."""
    return _text(_needed(parts, name))


def _needed(parts: Sequence[Statement], name: str) -> list[Statement]:
    """Return what a name needs: what binds or changes it, what that uses, and so on, and what tries these out alone."""
    defined = set[str]().union(*(part.names.binds for part in parts if not part.imports))
    chosen = {number for number, part in enumerate(parts) if _for_all(part)}
    wanted, before = {name}, -1
    while before != len(chosen):
        before = len(chosen)
        at_hand = wanted.union(*(parts[number].names.binds for number in chosen))
        for number, part in enumerate(parts):
            gives = part.names.binds | part.names.changes
            tries = set() if gives else part.names.uses & defined
            if gives & wanted or (tries and tries <= at_hand):
                chosen.add(number)
                wanted |= part.names.uses
    return [parts[number] for number in sorted(chosen)]


def _for_all(part: Statement) -> bool:
    """Say whether an import is one whose effect cannot be told from its names."""
    nodes = [node for node in part.nodes if part.imports and isinstance(node, ast.ImportFrom)]
    return any(node.module == "__future__" or node.names[0].name == "*" for node in nodes)


def _text(parts: Sequence[Statement]) -> str:
    """Put statements together: a docstring, the imports that come first, in order, and the rest."""
    count = next((number for number, part in enumerate(parts) if part.nodes and not _leads(part)), len(parts))
    docstring = [part for part in parts[:count] if part.is_text][:1]
    imports = [part for part in parts[:count] if part.imports]
    rest = [part for part in parts if not any(part is one for one in (*docstring, *imports))]
    head = "\n\n".join(filter(None, [*(part.source for part in docstring), _imports(imports)]))
    return head + _below(rest, bool(head))


def _leads(part: Statement) -> bool:
    """Say whether a statement may stand above imports."""
    return part.imports or part.is_text


def _below(parts: Sequence[Statement], something: bool) -> str:
    """Put statements below something or nothing, two lines round what is defined."""
    text, defines = "", False
    for number, part in enumerate(parts):
        blank = 2 if defines or part.defines else 1 if number == 0 else 0
        text += f"{_NEWLINE * (blank + 1) if text or something else ''}{part.source}"
        defines = part.defines
    return f"{text}\n" if text or something else ""


def _imports(parts: Iterable[Statement]) -> str:
    """Return imports as a file has them: Python's own, others, the book's; each module's names on one line."""
    plain: set[tuple[int, str]] = set()
    of_module: dict[tuple[int, str], set[str]] = {}
    for node in _single_imports(node for part in parts for node in part.nodes):
        name = ast.unparse(node.names[0])
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            of_module.setdefault((_place(module), module), set()).add(name)
        else:
            plain.add((_place(name), name))
    groups: list[list[str]] = [[], [], [], []]
    for place, name in sorted(plain):
        groups[place].append(f"import {name}")
    for (place, module), members in sorted(of_module.items()):
        groups[place].append(f"from {module} import {', '.join(sorted(members))}")
    return "\n\n".join("\n".join(group) for group in groups if group)


def _place(module: str) -> int:
    top = re.split(r"[. ]", module)[0]
    if top in ("exercises", "snippets", ""):
        return 3
    return 0 if top == "__future__" else 1 if top in sys.stdlib_module_names else 2


class _Text:
    """A reader's text, and what distinguishes the names that it defines."""

    def __init__(self, exercise: str, source: str) -> None:
        self.exercise, self.source = exercise, source
        self.parts = parts_of(source)
        self.imported = set[str]().union(*(part.names.binds for part in self.parts if part.imports))
        self.binds = set[str]().union(*(part.names.binds for part in self.parts))
        self.later = set[str]().union(*(part.names.later for part in self.parts))
        self.free = set[str]().union(*(part.names.uses for part in self.parts)) - self.binds
        self.has_star = any("*" in part.source for part in self.parts if part.imports)
        self.kinds = self._kinds()

    def borrows(self, name: str) -> bool:
        """Say whether a name is Python's own here, or perhaps comes from an ``import *``."""
        return name in self.free and (name in _BUILT_IN or self.has_star)

    def _kinds(self) -> dict[str, int]:
        """Return for each name a number that equals another text's where all that makes the name is equal."""
        made_by = {name: [part for part in self.parts if self._makes(part, name)] for name in self.binds}
        base = {name: tuple(part.meaning for part in parts) for name, parts in made_by.items()}
        uses = {name: sorted(set[str]().union(*(p.names.uses for p in parts))) for name, parts in made_by.items()}
        kinds = {name: hash(meanings) for name, meanings in base.items()}
        for _ in kinds:
            kinds = {name: hash((base[name], tuple((o, kinds.get(o)) for o in uses[name]))) for name in kinds}
        return kinds

    def _makes(self, part: Statement, name: str) -> bool:
        return name in part.names.binds or (name in part.names.changes and name not in self.imported)


def joined(asked: Asked, sources: Mapping[str, str]) -> dict[str, str]:
    """Make one file, ``text``, of one text for each exercise, with a ``notice`` for the reader.

    A text that Python cannot read stands in the file as a comment, below the stub.
    """
    if strangers := sources.keys() - asked.stubs.keys():
        raise ValueError(f"sources must be of this chapter's exercises ({', '.join(asked.stubs)}), got {strangers}")
    notices: list[str] = []
    texts: list[_Text] = []
    kept: dict[str, str] = {}
    for name, stub in asked.stubs.items():
        source = normal(sources.get(name, "")).rstrip() or stub
        try:
            texts.append(_Text(name, source))
        except UNREADABLE as error:
            notices.append(f"Python cannot read the text of {name} ({_reason(error)}): it is in the file as a comment.")
            kept[name] = source
            texts.append(_Text(name, stub))
    texts, apart, told = _distinguished(texts)
    return {"text": _file(asked, texts, kept, apart), "notice": "\n".join([*notices, *told])}


def _distinguished(texts: list[_Text]) -> tuple[list[_Text], set[str], list[str]]:
    """Rename what texts define differently, and return them, the names that stay shared all the same, and notices."""
    exercises = {text.exercise: text for text in texts}
    apart: set[str] = set()
    renames: dict[str, list[str]] = {}
    for name in sorted(set[str]().union(*(text.binds for text in texts))):
        binders = [text for text in texts if name in text.binds]
        borrowed = any(text.borrows(name) for text in texts)
        owner = exercises.get(name)
        keeps = owner.kinds.get(name) if owner else None if borrowed else binders[0].kinds[name]
        losers = [text for text in binders if text is not owner and text.kinds[name] != keeps]
        fixed = borrowed or owner or any(name in text.imported or name in text.later for text in texts)
        if losers and not fixed:
            apart.add(name)  # each text gives it its value before it reads it
        else:
            for text in losers:
                renames.setdefault(text.exercise, []).append(name)
    taken = set[str]().union(*(text.binds | text.free for text in texts))
    new_texts, told = [], []
    for text in texts:
        source = text.source
        for name in renames.get(text.exercise, []):
            new = f"{name}_{text.exercise}"
            while new in taken:
                new += "_"
            changed = renamed(source, {name: new})
            others = f"defines {name}, which another text defines or uses differently"
            if changed is None:
                apart.add(name)
                told.append(f"{text.exercise} {others}: rename it in one of them, or both use the same.")
            else:
                source = changed
                told.append(f"{text.exercise} {others}: in this file it is called {new}.")
        new_texts.append(_Text(text.exercise, source))
    return new_texts, apart, told


def _file(asked: Asked, texts: Sequence[_Text], kept: Mapping[str, str], apart: set[str]) -> str:
    """Write texts one below the other; what the ones before have already is left out."""
    taken = set[str]().union(*(text.binds for text in texts))
    imports = [part for part in asked.parts if part.imports and not part.names.binds & taken]
    body: list[Statement] = []
    seen: Counter[str] = Counter()
    for text in texts:
        mine: Counter[str] = Counter()
        leading = True
        for part in text.parts:
            leading = leading and (not part.nodes or _leads(part))
            if leading and part.imports:
                imports.append(part)
                continue
            mine[part.meaning] += 1
            names = part.names.binds | part.names.changes | part.names.uses
            if part.nodes and mine[part.meaning] <= seen[part.meaning] and not names & apart:
                comments = [line for line in part.comments if not any(line in one.source for one in body)]
                body += [Statement("\n".join(comments), (), Names())] if comments else []
            else:
                body.append(part)
        seen |= mine
        if text.exercise in kept:
            block = _commented(text.exercise, kept[text.exercise]).rstrip("\n")
            body.append(Statement(block, (), Names()))
    future = ast.parse("from __future__ import annotations").body
    first = Statement("", tuple(future), Names())
    return f"{asked.opening}\n\n{_imports([first, *imports])}{_below(body, True)}"


def _commented(name: str, source: str) -> str:
    lines = [f"#|{line}" for line in source.split("\n")]
    head = f"# {name} as it was written cannot be read by Python, so it is kept as a comment:"
    return "\n".join([head, *lines]) + "\n"


def _uncommented(lines: str) -> str:
    return "\n".join(line.removeprefix("#|") for line in lines.rstrip("\n").split("\n"))


def _reason(error: BaseException) -> str:
    return f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else str(error) or type(error).__name__
