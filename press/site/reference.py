"""Writes two reference pages per part from the docstrings of a package, and for each formula an entry to collect.

griffe reads signatures and docstrings without importing anything, so a reference is written even where a simulator's
libraries are missing. What a docstring of ours adds to Google's sections are paragraphs that begin with a label:
``Also:``, ``Convention:``, ``Leaves out:``, ``Source:``, ``Formula:``, ``Symbols:``, ``Chapter:``.
"""

from __future__ import annotations

import doctest
import html
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import griffe

from press.making.pages import Page

FOLDER = "docs/reference"
INDEX = f"{FOLDER}/index.md"
ENTRIES_AT = "docs/quick-reference.md"  # from where the links of formulas' entries lead
LABELS = ("Formula", "Also", "Symbols", "Chapter", "Convention", "Leaves out", "Source")

_LABELLED = re.compile(rf"^({'|'.join(LABELS)}):\s+")
_BETWEEN = re.compile(rf"\n\s*\n|\n(?=(?:{'|'.join(LABELS)}):\s)")
_SYMBOL = re.compile(
    r"(?<![\\\w])(?:(?:\\[A-Za-z]+(?:\{[^}]*\})?)+|[^\W\d_])"  # TeX, or a letter
    r"(?:[_^](?:\{(?:[^{}]|\{[^}]*\})*\}|\\?\w+|\*)|'|\([^)]*\))*(?![\w‖*])"  # indices, primes, arguments
)
_SYMBOLS = re.compile(rf"(?:^|(?<=[,;.:] )){_SYMBOL.pattern}(?:(?:, | and ){_SYMBOL.pattern})*(?= = )")
_KINDS = ("Formulas", "", "Commands", "Simulators", "Drawings", "Figures")  # in the order of a part's pages
_APART = _KINDS[3:]  # on the second page, for the two together would be too large to load
_EVERYWHERE = "everywhere"


@dataclass(frozen=True)
class Documented:
    """A docstring taken apart: its paragraphs, its labelled paragraphs, and Google's sections by their kind."""

    paragraphs: tuple[str, ...] = ()
    labelled: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The first paragraph."""
        return self.paragraphs[0] if self.paragraphs else ""


@dataclass(frozen=True)
class Reference:
    """What is written from a package: its pages, and by its name the entry of each formula."""

    pages: list[Page]
    formulas: dict[str, str]


def reference(root: Path, package: str, chapters: Iterable[str]) -> Reference:
    """Write the reference of a package: the index, for each part a page of formulas and one of simulators; and entries.

    Args:
        root: the book's folder.
        package: the package's name; its folder stands in ``root``.
        chapters: the chapters' files, relative to the root, to which formulas are linked by number.
    """
    tree = griffe.load(package, search_paths=[str(root)], docstring_parser="google", allow_inspection=False)
    assert isinstance(tree, griffe.Module)
    modules = [module for module in _modules(tree) if public(module)]
    links = chapter_links(chapters)
    modules.sort(key=lambda module: (_part(module), _KINDS.index(_module_words(module)[0])))
    index = Page(INDEX, f"{package}/__init__.py", _index(modules), "All modules")
    grouped = {path: [*of_page] for path, of_page in itertools.groupby(modules, _page)}
    pages = [index, *(_part_page(package, path, grouped, root, links) for path in grouped)]
    formulas = [pair for module in modules for pair in _formulas(module, module, links)]
    return Reference(pages, dict(formulas))


def public(holder: griffe.Module | griffe.Class) -> list[griffe.Object]:
    """Return the public names that a module or a class defines itself, in the order of its source."""
    own = [member for name, member in holder.members.items() if not name.startswith("_") and not member.is_alias]
    own = [member for member in own if not member.is_module]
    return sorted(
        (member for member in own if isinstance(member, griffe.Object)), key=lambda member: member.lineno or 0
    )


def documented(member: griffe.Object) -> Documented:
    """Take the docstring of a name apart."""
    if member.docstring is None:
        return Documented()
    paragraphs: list[str] = []
    labelled: dict[str, str] = {}
    sections: dict[str, Any] = {}
    for section in member.docstring.parse("google", warnings=False):
        if section.kind is griffe.DocstringSectionKind.text:
            for paragraph in _BETWEEN.split(section.value.strip()):
                label = _LABELLED.match(paragraph)
                if paragraph.startswith(">>> "):
                    sections["Example"] = paragraph
                elif label:
                    labelled[label[1]] = paragraph[label.end() :].strip()
                else:
                    paragraphs.append(paragraph)
        elif section.kind is griffe.DocstringSectionKind.admonition:
            _take_admonition(section, labelled, sections)
        else:
            sections[section.kind.value] = section.value
    return Documented(tuple(paragraphs), labelled, sections)


def _take_admonition(section: Any, labelled: dict[str, str], sections: dict[str, Any]) -> None:
    """Keep what griffe takes for an admonition: an example, or a labelled paragraph whose second line is indented."""
    label = section.value.annotation.replace("-", " ").capitalize()
    if label in LABELS:
        labelled[label] = f"{section.title} {section.value.contents}"
    else:
        sections[section.title or ""] = section.value.contents


def page_of(source: str, kind: str = "") -> str:
    """Return where the names of a module's file are described: on the pages of its part.

    >>> page_of("snippets/memory/zero/formulas.py"), page_of("snippets/simulation/machine.py", "Simulators")
    ('docs/reference/memory.md', 'docs/reference/simulation-simulators.md')
    """
    folders = source.split("/")[1:-1]
    return f"{FOLDER}/{folders[0] if folders else _EVERYWHERE}{'-simulators' if kind in _APART else ''}.md"


def _anchor(member: griffe.Object) -> str:
    """Return by what a module or a name of it is found on its part's page: ``zero.formulas.zero_state_bytes``."""
    module = member if isinstance(member, griffe.Module) else member.module
    return ".".join(_below_part(module)) + member.path.removeprefix(module.path)


def _below_part(module: griffe.Module) -> list[str]:
    """Return a module's name below the folder of its part: its chapter's folder, if it is in one, and its own."""
    names = module.path.split(".")
    return names[2:] or names[-1:]


def chapter_links(chapters: Iterable[str]) -> dict[str, str]:
    """Return the chapters by what they are called in a docstring.

    >>> chapter_links(["chapters/background/a1-linear-algebra.md", "chapters/foundations/05-alpha-beta.md"])
    {'A1': 'chapters/background/a1-linear-algebra.md', '5': 'chapters/foundations/05-alpha-beta.md'}
    """
    found = {}
    for path in chapters:
        number = re.match(r"(a?\d+)-", Path(path).name)
        if number:
            found[number[1].lstrip("0").upper()] = path
    return found


def _modules(tree: griffe.Module) -> Iterator[griffe.Module]:
    """Walk a package: its modules first, then its packages, each in alphabetical order."""
    children = sorted(tree.modules.values(), key=lambda module: (bool(module.modules), module.name))
    for module in children:
        if not module.name.startswith("_"):
            yield module
            yield from _modules(module)


def _header(title: str, description: str) -> list[str]:
    return ["---", f'title: "{title}"', f'description: "{description}"', "---", "", f"# {title}", ""]


def _part(module: griffe.Module) -> str:
    """Return the part that a module belongs to, as its page is called."""
    names = module.path.split(".")[1:-1]
    return names[0] if names else _EVERYWHERE


def _page(module: griffe.Module) -> str:
    """Return the page on which a module is described."""
    return page_of(module.path.replace(".", "/"), _module_words(module)[0])


def _index(modules: Iterable[griffe.Module]) -> str:
    text = "Every public function and class of the book's package, with shapes, units, errors, source and an example."
    lines = [*_header("All modules", text), text, ""]
    lines += [
        "*Formulas* need the standard library alone. *Simulators* move real arrays and count what they do.",
        "*Drawings* and *figures* show what the two return. *Commands* call formulas from a terminal.",
        "Each example is run by the tests.",
    ]
    for part, of_part in itertools.groupby(modules, _part):
        lines += ["", f"## {part.capitalize()}", "", "| module | kind | what for |", "|---|---|---|"]
        for module in of_part:
            kind, about = _module_words(module)
            page = Path(_page(module)).name
            lines.append(f"| [`{_short(module)}`]({page}#{_anchor(module)}) | {kind.lower()} | {_in_table(about)} |")
    return "\n".join(lines) + "\n"


def _short(module: griffe.Module) -> str:
    return module.path.partition(".")[2]


def _module_words(module: griffe.Module) -> tuple[str, str]:
    """Return a module's kind, where its docstring names one, and its first paragraph without it."""
    kind, separator, about = documented(module).summary.partition(":")
    if separator and kind in _KINDS:
        about = about.strip()
        return kind, about[:1].upper() + about[1:]
    return "", documented(module).summary


def _part_page(
    package: str, path: str, pages: Mapping[str, Sequence[griffe.Module]], root: Path, chapters: Mapping[str, str]
) -> Page:
    """Return one of the pages, each of which has modules of one part."""
    modules = pages[path]
    part, apart = _part(modules[0]), _module_words(modules[0])[0] in _APART
    name = f"{part}, simulators and figures" if apart else part
    lines = _header(f"Reference: {name}", f"Modules of {name}: signatures, shapes, units, errors, sources, examples.")
    for other in pages:
        if other != path and _part(pages[other][0]) == part:
            what = "The formulas" if apart else "Simulators, drawings and figures"
            lines += [f"[{what} of this part]({Path(other).name}) have a page of their own.", ""]
    for module in modules:
        lines += _module(module, root, chapters)
    file = "/".join([package, *([] if part == _EVERYWHERE else [part]), "__init__.py"])
    title = f"{part.capitalize()}: simulators" if apart else part.capitalize()
    return Page(path, file, "\n".join(lines).rstrip() + "\n", title)


def _module(module: griffe.Module, root: Path, chapters: Mapping[str, str]) -> list[str]:
    """Return the section of a module."""
    kind, about = _module_words(module)
    source = Path(str(module.filepath)).relative_to(root).as_posix()
    lines = [f"## {_title(module)} {{#{_anchor(module)}}}", ""]
    lines += [f"{kind + ': ' if kind else ''}{about[:1].lower() + about[1:] if kind else about}", ""]
    lines += [text + "\n" for text in documented(module).paragraphs[1:]]
    lines += [f"`from {module.path.rpartition('.')[0]} import {module.name}` · [source](../../{source})", ""]
    for member in public(module):
        lines += _entry(member, chapters, level=3)
    return lines


def _entry(member: griffe.Object, chapters: Mapping[str, str], *, level: int) -> list[str]:
    """Return the Markdown of one public name."""
    name = member.path.removeprefix(f"{member.module.path}.")
    entry = documented(member)
    lines = [f"{'#' * level} `{name}` {{#{_anchor(member)}}}", "", *_fenced("python", _signature(member)), ""]
    lines += [paragraph + "\n" for paragraph in entry.paragraphs]
    if "Formula" in entry.labelled:
        lines += [f"$${_tex(entry.labelled['Formula'])}$$", ""]
    lines += _labelled(member, entry, chapters)
    lines += _listed(entry)
    for example in entry.sections.get("Example", ()), entry.sections.get("examples", ()):
        if example:
            lines += [*_fenced("pycon", _example(example)), ""]
    if isinstance(member, griffe.Class):
        for inner in public(member):
            if not _is_field(inner):
                lines += _entry(inner, chapters, level=level + 1)
    return lines


def _labelled(member: griffe.Object, entry: Documented, chapters: Mapping[str, str]) -> list[str]:
    """Return the labelled paragraphs but the formula, the chapters as links."""
    lines = []
    for label in LABELS[1:]:
        text = entry.labelled.get(label, "")
        if label == "Chapter":
            text = _chapters(text, chapters, "../../")
        elif label == "Symbols":
            text = _typeset_symbols(_one_line(text))
        else:
            text = text[:1].upper() + text[1:]
        if text:
            lines.append(f"**{label}.** {text}\n")
    return lines


def _chapters(numbers: str, chapters: Mapping[str, str], back: str) -> str:
    """Return a docstring's list of chapters, each that exists as a link."""
    names = [name.strip() for name in re.split(r",|\band\b", numbers) if name.strip()]
    return ", ".join(f"[{name}]({back}{chapters[name]})" if name in chapters else name for name in names)


def _is_field(member: griffe.Object) -> bool:
    """Say whether a name of a class is plain data, which the class's own docstring describes."""
    return member.is_attribute and "property" not in member.labels


def _listed(entry: Documented) -> list[str]:
    """Return Google's sections as lists."""
    lines = []
    for kind, title in (("parameters", "Arguments"), ("attributes", "Attributes")):
        if kind in entry.sections:
            items = [f"- `{item.name}`: {_one_line(item.description)}" for item in entry.sections[kind]]
            lines += [f"**{title}**", "", *items, ""]
    for kind, title in (("returns", "Returns"), ("yields", "Yields")):
        if kind in entry.sections:
            text = " ".join(_returned(item) for item in entry.sections[kind])
            lines += [f"**{title}** {text}", ""]
    if "raises" in entry.sections:
        items = [f"`{item.annotation}`: {_one_line(item.description)}" for item in entry.sections["raises"]]
        lines += [f"**Raises** {'; '.join(items)}", ""]
    return lines


def _returned(item: Any) -> str:
    """Return the description of a result; griffe takes a word before a colon for its type."""
    named = f"{item.name}: " if item.name else ""
    return named + _one_line(item.description)


def _one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text).strip()


def _fenced(language: str, code: str) -> list[str]:
    return [f"```{language}", *code.splitlines(), "```"]


def _example(example: Any) -> str:
    """Return the code of an example section, which is text or a list of pieces of text and code."""
    pieces = [example] if isinstance(example, str) else [piece for _, piece in example]
    return "\n\n".join(pieces).strip()


def _signature(member: griffe.Object) -> str:
    """Return a name as one would declare it; what does not fit on a line has an argument per line."""
    if isinstance(member, griffe.Function):
        return _call(member.name, member.parameters, f" -> {member.returns}" if member.returns else "")
    if isinstance(member, griffe.Class):
        return _call(f"class {member.name}", member.parameters, "") if member.parameters else f"class {member.name}"
    assert isinstance(member, griffe.Attribute)
    value = "" if member.value is None or len(str(member.value)) > 60 else f" = {member.value}"
    return f"{member.name}{f': {member.annotation}' if member.annotation else ''}{value}"


def _call(name: str, parameters: griffe.Parameters, result: str) -> str:
    pieces: list[str] = []
    starred = False
    for parameter in parameters:
        if parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind
        if kind is griffe.ParameterKind.keyword_only and not starred:
            pieces.append("*")
            starred = True
        star = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(kind, "")
        starred = starred or star == "*"
        annotation = f": {parameter.annotation}" if parameter.annotation is not None else ""
        default = f" = {parameter.default}" if parameter.default is not None and not star else ""
        pieces.append(f"{star}{parameter.name}{annotation}{default}")
    line = f"{name}({', '.join(pieces)}){result}"
    if len(line) <= 88:
        return line
    return "\n".join([f"{name}(", *(f"    {piece}," for piece in pieces), f"){result}"])


def _tex(formula: str) -> str:
    """Return the TeX of a ``Formula:`` paragraph without its dollar signs, where it is one formula and nothing else.

    >>> _tex("$F = 2mkn$")
    'F = 2mkn'
    """
    text = _one_line(formula)
    inner = text.strip("$")
    return inner if text.startswith("$") and text.endswith("$") and "$" not in inner else rf"\text{{{text}}}"


def _title(module: griffe.Module) -> str:
    """Return a module's name as words, after its chapter's.

    >>> _title(griffe.Module("alpha_beta"))
    'Alpha beta'
    """
    return ": ".join(_below_part(module)).replace("_", " ").capitalize()


def _formulas(
    module: griffe.Module, holder: griffe.Module | griffe.Class, chapters: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Return names and entries of a module's formulas, those of classes' methods and properties too."""
    for member in public(holder):
        if "Formula" in documented(member).labelled:
            name = member.path.removeprefix(f"{module.path}.")
            yield name, _formula(module, name, member, chapters)
        if isinstance(member, griffe.Class):
            yield from _formulas(module, member, chapters)


def _formula(module: griffe.Module, name: str, member: griffe.Object, chapters: Mapping[str, str]) -> str:
    """Return a formula's entry: the formula, its symbols and what it gives, a call with its result, its chapter."""
    entry = documented(member)
    where = _chapters(entry.labelled.get("Chapter", ""), chapters, "../")
    place = f"reference/{Path(_page(module)).name}#{_anchor(member)}"
    about = f"[`{name}`]({place}){f' · chapter {where}' if where else ''}"
    code = html.escape(_call_shown(entry, name.rpartition(".")[2]))
    unless = ", ".join(f"`{name} = {value}`" for name, value in _defaults(member) if f"{name}=" not in code)
    call = f'<p class="formula-call"><code>{code}</code></p>' if code else ""
    symbols = _typeset_symbols(_one_line(entry.labelled.get("Symbols", "")))
    gives = " ".join(_returned(item) for item in entry.sections.get("returns", ()))
    gives = gives if re.match("[A-Z]{2}", gives) else gives[:1].lower() + gives[1:]  # FLOP
    more = [f"Gives: {gives}" if gives else "", f"Unless given: {unless}." if unless else ""]
    return f"""<div class="formula" markdown="1">

$${_tex(entry.labelled["Formula"])}$$

{about}<br>
<small>{symbols}</small>

{call}

<small class="formula-more">{" ".join(filter(None, more))}</small>

</div>"""


def _defaults(member: griffe.Object) -> Iterator[tuple[str, str]]:
    """Return the arguments of a function that need not be given, with what they then are; a constant by its value."""
    for parameter in member.parameters if isinstance(member, griffe.Function) else ():
        value = str(parameter.default)
        if parameter.default is not None and value != "None" and parameter.kind.value != "variadic keyword":
            named = member.module.members.get(value)
            found = named.final_target if isinstance(named, griffe.Alias) else named
            yield parameter.name, str(found.value) if isinstance(found, griffe.Attribute) else value


def _typeset_symbols(text: str) -> str:
    """Return a ``Symbols:`` paragraph with the symbols before each equality sign as mathematics.

    >>> _typeset_symbols("M = the result; b_p, K = bytes, and Ψ_i ≤ N")
    '$M$ = the result; $b_p$, $K$ = bytes, and Ψ_i ≤ N'
    >>> _typeset_symbols("S_min = fewest_steps")
    '$S_{min}$ = fewest_steps'
    """

    def typeset(symbol: re.Match[str]) -> str:
        whole_index = re.sub(r"([_^])(\w{2,})", r"\1{\2}", symbol[0])
        return f"${whole_index}$"

    return _SYMBOLS.sub(lambda match: _SYMBOL.sub(typeset, match[0]), text)


def _call_shown(entry: Documented, name: str) -> str:
    """Return the part of a docstring's example that calls the function, with what it shows, on one line."""
    for section in (entry.sections.get("Example", ""), entry.sections.get("examples", "")):
        examples = doctest.DocTestParser().get_examples(_example(section)) if section else []
        if shown := shown_example(examples, name):
            lines, last = shown
            return f"{'; '.join(lines)} → {' '.join(examples[last].want.split())}"
    return ""


def shown_example(examples: Sequence[doctest.Example], name: str) -> tuple[list[str], int] | None:
    """Return the lines of the first part of an example that calls a function and shows something, and its last number.

    >>> parse = doctest.DocTestParser().get_examples
    >>> shown_example(parse(">>> 1\\n1\\n>>> x = 2\\n>>> f(x)\\n3\\n"), "f")
    (['x = 2', 'f(x)'], 2)
    """
    before: list[str] = []
    for number, example in enumerate(examples):
        before.append(re.sub(r"(?<=\() | (?=\))", "", " ".join(example.source.split())))
        if example.want and any(f"{name}(" in line for line in before):
            return before, number
        if example.want:
            before.clear()
    return None


def _in_table(text: str) -> str:
    """Return Markdown that can stand in a cell of a table.

    >>> _in_table("the sum of |x|\\nover all")
    'the sum of \\\\|x\\\\| over all'
    """
    return _one_line(text).replace("|", r"\|")
