"""What launches a lab is of the tier of labs and needs PyTorch: without it such a test is skipped, in CI it fails."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from launching import INSTALL, ROOT, Launcher
from sampling import changed_files, sampled
from warm import WarmTorchrun

collect_ignore = ["programs"]  # what labs' tests launch: it imports PyTorch


LAUNCHES = 30
"""How many tests that launch a lab a day has; of the others that the day's commits changed ten more."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that launch, skip them where PyTorch is missing, but for CI, and leave many to the night."""
    here = str(Path(__file__).parent)
    launching = [
        item for item in items if "launch" in getattr(item, "fixturenames", ()) and str(item.path).startswith(here)
    ]
    for item in launching:
        item.add_marker(pytest.mark.labs)
        if not importlib.util.find_spec("torch") and not os.environ.get("CI"):
            item.add_marker(pytest.mark.skip(reason=INSTALL))
    daily = [item for item in launching if not item.get_closest_marker("nightly")]
    today = {item.nodeid for item in sampled(daily, LAUNCHES, changed=_has_changed, most=10)}
    if late := [item for item in daily if item.nodeid not in today]:
        config.hook.pytest_deselected(items=late)
        items[:] = [item for item in items if item not in late]


def _has_changed(item: pytest.Item) -> bool:
    return item.path.relative_to(ROOT).as_posix() in changed_files()


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
