"""How pytest divides its work: the tests among the cores, the graders one after another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from press.addresses import REPOSITORY, REVISION, SITE

# A busy machine is no mistake, so no example has a deadline; in CI the same examples are drawn every time.
settings.register_profile("book", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "book")

# What is built here has no address but those that a test gives it.
for variable in (REPOSITORY, REVISION, SITE):
    os.environ.pop(variable, None)

EXERCISES = Path(__file__).parent / "exercises"


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there is nothing to divide
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return 0, no workers, for a reader who grades exercises; ``None`` leaves the number to the cores."""
    asked = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    return 0 if all(EXERCISES in (path, *path.parents) for path in asked) else None
