"""What launches a lab is of the tier of labs and needs PyTorch: without it such a test is skipped, in CI it fails."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from launching import INSTALL, Launcher
from warm import WarmTorchrun

collect_ignore = ["programs"]  # what labs' tests launch: it imports PyTorch


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that launch, and skip them where PyTorch is missing, but for CI."""
    here = str(Path(__file__).parent)
    for item in items:
        if "launch" in getattr(item, "fixturenames", ()) and str(item.path).startswith(here):
            item.add_marker(pytest.mark.labs)
            if not importlib.util.find_spec("torch") and not os.environ.get("CI"):
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
