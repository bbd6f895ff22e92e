"""Runs a lab with one of the book's formulas spoiled: ``wrong_formula.py module:name labs/….py options…``.

A lab that still says "agree" does not take its prediction from that formula.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import runpy
import sys
from fractions import Fraction
from typing import Any


def spoiled(value: Any) -> Any:
    """Return a value of the same shape in which every number is wrong, as if a factor of 2 had been forgotten."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float | Fraction):
        return 2 * value + 1
    if isinstance(value, str):
        return value + "?"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(spoiled, value))
    if isinstance(value, tuple | list):
        return type(value)(spoiled(item) for item in value)
    if isinstance(value, dict):
        return {key: spoiled(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {entry.name: spoiled(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    return value


def main() -> None:
    """Spoil the formula before the lab imports it, then run the lab as if it had been started by itself."""
    target, sys.argv = sys.argv[1], sys.argv[2:]
    module_name, name = target.split(":")
    module = importlib.import_module(module_name)
    formula = getattr(module, name)

    @functools.wraps(formula)
    def wrong(*arguments: Any, **keywords: Any) -> Any:
        return spoiled(formula(*arguments, **keywords))

    setattr(module, name, wrong)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
