"""Typesets TeX as MathML when the book is built, and cuts the font to the characters that the book uses.

``prose`` leaves TeX in ``arithmatex`` elements (pymdown-extensions' generic form); ``typeset`` replaces them all at
once, because math-core numbers equations and resolves references over a whole page.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from math_core import LatexError, LatexToMathML

from press.kept import digest, kept

_TEX = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
_LONE_REFERENCE = re.compile(r'<math><mtext>(<a href="#[^"]*">[^<]*</a>)</mtext></math>')
_UNRESOLVED = re.compile(r'href="#([^"]*)">\(\?\?\)')
_CLINGING = set(".,:;)?!")
# math-core works by recursion: what is nested some thousands deep ends the process. The book's longest has 250 signs.
LONGEST_FORMULA = 5_000
DEEPEST_FORMULA = 50
_NESTING = re.compile(r"\\[\\{}%]|\\(?:left|right|begin|end)(?![A-Za-z])|[{}%]")
_OPENING, _CLOSING = {"{", r"\left", r"\begin"}, {"}", r"\right", r"\end"}
UNREADABLE = r"\text{?}"
FONT_NAME = "STIX Two Math"
FONT_FILE = "STIXTwoMath-Regular.ttf"


def typeset(page: str, report: Callable[[str, str], None]) -> str:
    """Return the page with every TeX formula replaced by MathML.

    Args:
        page: HTML with ``arithmatex`` elements.
        report: called with the TeX and a message for each formula that does not parse, and for each reference to an
            equation label that the page lacks.
    """
    found = list(_TEX.finditer(page))
    formulas = [(html.unescape(match[2]).strip(), match[1] == "div") for match in found]
    pieces = []
    end = 0
    for match, (_, display), mathml in zip(found, formulas, _convert(formulas, report), strict=True):
        for label in _UNRESOLVED.findall(mathml):
            report(f"{{{label}}}", f"no equation of this page is labelled {label!r}")
        mathml = _LONE_REFERENCE.sub(r"\1", mathml)  # a link inside mathematics is lost on screen readers
        pieces.append(page[end : match.start()])
        end = match.end()
        if not display and page[end : end + 1] in _CLINGING:  # or a line may begin with the full stop after a formula
            mathml, end = f'<span class="unbroken">{mathml}{page[end]}</span>', end + 1
        pieces.append(f'<div class="math-display">{mathml}</div>' if display else mathml)  # scrolls on its own
    return "".join([*pieces, page[end:]])


def _convert(formulas: list[tuple[str, bool]], report: Callable[[str, str], None]) -> list[str]:
    """Convert all formulas of a page; where one is wrong, report each wrong one and leave its TeX in its place."""
    converter = LatexToMathML(fancy_error=False)
    formulas = [_checked(tex, display, report) for tex, display in formulas]
    try:
        return converter.convert_all(formulas)
    except LatexError:
        readable = []
        for tex, display in formulas:
            try:
                converter.convert_all([(tex, display)])
            except LatexError as error:
                reason = str(error).partition(": ")[2] or str(error)
                report(tex, f"TeX that does not parse: {reason} In: {tex}")
                readable.append((UNREADABLE, display))
            else:
                readable.append((tex, display))
        return converter.convert_all(readable)


def _checked(tex: str, display: bool, report: Callable[[str, str], None]) -> tuple[str, bool]:
    """Return a formula that can be converted: another one in the place of one that is refused."""
    refused = _refused(tex)
    if refused:
        report(tex, refused)
    return (UNREADABLE if refused else tex), display


def _refused(tex: str) -> str:
    """Say why a formula cannot be given to the converter, or what of it would vanish; "" if nothing is wrong."""
    if len(tex) > LONGEST_FORMULA:
        return f"a formula has {len(tex)} signs, at most {LONGEST_FORMULA} are allowed: {tex[:40]}…"
    depth = deepest = 0
    for token in _NESTING.finditer(tex):
        depth += (token[0] in _OPENING) - (token[0] in _CLOSING)
        deepest = max(deepest, depth)
        if token[0] == "%":
            lost = tex[token.start() :].split("\n")[0]
            return f"in TeX a % begins a comment, so that {lost[:40]!r} would vanish: write \\% for the sign"
    if deepest > DEEPEST_FORMULA:
        return f"a formula is nested {deepest} deep, at most {DEEPEST_FORMULA} are allowed: {tex[:40]}…"
    return ""


def characters(page: str) -> set[str]:
    """Return the characters that the page's ``math`` elements draw; a lone letter in ``mi`` is drawn in italics.

    A root has its sign from the font, though no character of the page is one.

    >>> sorted(characters("<p>z</p><math><mi>x</mi><mo>=</mo><mi>max</mi></math>"))
    ['=', 'a', 'm', 'x', '𝑥']
    >>> sorted(characters("<math><msqrt><mn>2</mn></msqrt></math>"))
    ['2', '√']
    """
    formulas = "".join(re.findall(r"<math.*?</math>", page, re.DOTALL))
    alone = re.findall(r"<mi>(.)</mi>", html.unescape(formulas))
    root = {"√"} if re.search(r"<m(sqrt|root)\b", formulas) else set()
    return set(html.unescape(re.sub(r"<[^>]*>", "", formulas))) | {_italic(letter) for letter in alone} | root


def _italic(letter: str) -> str:
    """Return the mathematical italic of a Latin or Greek letter (Unicode block 1D400), anything else as it is."""
    for first, last, target in (("A", "Z", 0x1D434), ("a", "z", 0x1D44E), ("Α", "Ω", 0x1D6E2), ("α", "ω", 0x1D6FC)):
        if letter == "h":
            return "ℎ"
        if first <= letter <= last:
            return chr(target + ord(letter) - ord(first))
    return letter


def font_woff2(used: set[str], cache: Path) -> bytes:
    """Return STIX Two Math cut to the characters ``used`` and the larger sizes of each, as WOFF2.

    Letters of their own for subscripts and instructions for screens of few pixels are left out: with them the font is
    three times as large, and Chromium draws the same. The font comes with ziamath's wheel (SIL Open Font License).
    Cutting takes seconds, so the result is kept under ``cache``, named by what it is made of.
    """
    text = "".join(sorted(used | set("0123456789()[]{}|+-=.,/ "))).replace("\n", "")
    name = digest([text.encode(), Path(__file__).read_bytes()])
    return kept(cache / f"math-{name}.woff2", lambda: _subset(text))


def _subset(text: str) -> bytes:
    from fontTools import subset

    options = subset.Options(
        flavor="woff2", layout_features=[], hinting=False, notdef_outline=True, recalc_timestamp=False
    )
    package = find_spec("ziamath")  # located, not imported: only its font is wanted
    if package is None or package.origin is None:
        raise ModuleNotFoundError("ziamath, which carries the font, is not installed: pip install -r requirements.txt")
    font = subset.load_font(str(Path(package.origin).parent / "fonts" / FONT_FILE), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text=text)
    cutter.subset(font)
    buffer = io.BytesIO()
    subset.save_font(font, buffer, options)
    return buffer.getvalue()
