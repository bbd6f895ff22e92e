"""Labs need PyTorch: without it their tests are skipped, in CI they fail; and the fixture that launches a lab."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from launching import INSTALL, Launcher
from warm import WarmTorchrun


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that launch where PyTorch is missing, but for CI."""
    if importlib.util.find_spec("torch") or os.environ.get("CI"):
        return
    for item in items:
        if Path(__file__).parent in item.path.parents and "launch" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=INSTALL))


@pytest.fixture(scope="session")
def warm_torchrun() -> Iterator[WarmTorchrun]:
    """Yield what forks launches; its process ends with the session."""
    warm = WarmTorchrun()
    yield warm
    warm.close()


@pytest.fixture
def launch(warm_torchrun: WarmTorchrun) -> Iterator[Launcher]:
    """Yield the function that runs a lab; afterwards nothing that it started is left."""
    if not importlib.util.find_spec("torch"):
        pytest.fail(f"CI has to run the labs' tests: {INSTALL}")
    launcher = Launcher(warm_torchrun)
    yield launcher
    launcher.end()
