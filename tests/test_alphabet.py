"""One alphabet: in a formula's docstring a letter stands for the argument that docs/notation.md says it stands for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from press.reading.notation import Alphabet, read_alphabet

ROOT = Path(__file__).parent.parent
ALPHABET = read_alphabet((ROOT / "docs/notation.md").read_text(encoding="utf-8"))
GREEK = {"α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "η": r"\eta", "θ": r"\theta", "ℒ": r"\mathcal L", "π": r"\pi"}


def formulas() -> list[tuple[str, str, frozenset[str], str]]:
    """Return each formula's name, its Symbols, its arguments and the number of its chapter."""
    found = []
    for path in sorted((ROOT / "snippets").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                words = ast.get_docstring(node) or ""
                symbols = re.search(r"^Symbols: (.*?)(?=^\S|^$|\Z)", words, re.MULTILINE | re.DOTALL)
                chapter = re.search(r"^Chapter: (\w+)", words, re.MULTILINE)
                if symbols and chapter:
                    arguments = frozenset(
                        a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                    )
                    found.append((node.name, " ".join(symbols[1].split()), arguments, chapter[1]))
    return found


def letter_of(symbol: str) -> str:
    """Return a symbol of a docstring as the notation page writes it."""
    return GREEK.get(symbol, symbol)


def other_letters(symbols: str, arguments: frozenset[str], alphabet: Alphabet, chapter: str) -> list[str]:
    """Say where a letter stands for an argument that has another one, or an argument has a letter of its own."""
    wrong = []
    holds = alphabet.holding_for(chapter).symbols
    for entry in symbols.split(";"):
        letters, _, meaning = entry.strip().partition(" = ")
        owner, _, name = (re.match(r"[\w.]+", meaning) or [""])[0].rpartition(".")
        if "," in letters or (owner or name) not in arguments:
            continue
        base = letter_of(re.split(r"[_^(*]|(?<=.)[₁₂]", letters)[0])
        owners = {letter for letter, names in alphabet.arguments.items() if name in names and letter in holds}
        if owners and base not in owners:
            wrong.append(f"{letters} = {name}, which is {' or '.join(sorted(owners))}")
        elif letters == base or letter_of(letters) == base:
            names = alphabet.arguments.get(base, frozenset()) if base in holds else frozenset()
            if names and name not in names:
                wrong.append(f"{letters} = {name}, but {base} is {', '.join(sorted(names))}")
    return wrong


@pytest.mark.parametrize(
    ("name", "symbols", "arguments", "chapter"),
    [pytest.param(*found, id=found[0]) for found in formulas()],
)
def test_a_letter_of_a_formula_is_the_alphabets(
    name: str, symbols: str, arguments: frozenset[str], chapter: str
) -> None:
    assert other_letters(symbols, arguments, ALPHABET, chapter) == []


@pytest.mark.parametrize(
    ("symbols", "chapter", "wrong"),
    [
        ("R = ranks; n = size_bytes; α = latency_s", "13", 0),
        ("N = ranks", "13", 1),
        ("N = nodes", "13", 1),
        ("β_net = port_bytes_per_s; z = nodes", "15", 0),
        ("p = probability", "A2", 0),
        ("p = probability", "18", 1),
        ("T_B, N = the result's parts", "18", 0),
    ],
)
def test_what_is_said_of_letters(symbols: str, chapter: str, wrong: int) -> None:
    arguments = frozenset({"ranks", "size_bytes", "latency_s", "nodes", "port_bytes_per_s", "probability"})
    assert len(other_letters(symbols, arguments, ALPHABET, chapter)) == wrong
