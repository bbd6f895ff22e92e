"""The book's own settings, which stand under ``extra: press:`` in the site generator's."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any


class WrongSetting(ValueError):
    """A setting that the book cannot be built with; ``key`` is its last name, the message says what is allowed."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name} {message}")
        self.key = name.rpartition(".")[2]


@dataclass(frozen=True)
class Settings:
    """How long a cell may run, and the package whose reference is written (``""``: none)."""

    cell_timeout_s: float = 60.0
    reference: str = ""


def read_settings(given: Any, root: Path) -> Settings:
    """Return the settings.

    Args:
        given: what stands under ``press``.
        root: the book's folder.

    Raises:
        WrongSetting: one cannot be used.
    """
    names = [setting.name for setting in fields(Settings)]
    if not isinstance(given, dict):
        raise WrongSetting("extra.press", f"must hold settings ({', '.join(names)}), got {_shown(given)}")
    for name in given:
        if name not in names:
            raise WrongSetting(f"extra.press.{name}", f"is no setting of the press; there are {' and '.join(names)}")
    settings = Settings(**given)
    limit, package = settings.cell_timeout_s, settings.reference
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not (math.isfinite(limit) and limit > 0):
        raise WrongSetting("extra.press.cell_timeout_s", f"must be a number of seconds above 0, got {_shown(limit)}")
    if not isinstance(package, str) or (package and not (root / package / "__init__.py").is_file()):
        message = f"must be the name of a package in the book's folder, got {_shown(package)}"
        raise WrongSetting("extra.press.site.reference", message)
    return settings


def docs_folder(docs: Path, root: Path) -> str:
    """Return the folder of the pages that are not chapters, relative to the book's.

    Raises:
        WrongSetting: it is not a folder of its own in the book's folder.
    """
    if not docs.is_relative_to(root) or docs.relative_to(root).parts[:1] in [(), ("chapters",)]:
        raise WrongSetting("docs_dir", f"must be a folder in the book's folder, beside chapters, got {str(docs)!r}")
    return docs.relative_to(root).as_posix()


def _shown(value: Any) -> str:
    return "nothing" if value is None else repr(value)
