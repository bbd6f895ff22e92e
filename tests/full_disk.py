"""A disk that is full, as far as this process's own writing goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

FullAfter = Callable[[int], AbstractContextManager[None]]


@pytest.fixture
def full_after() -> FullAfter:
    """Return a context in which no file can get longer than some bytes: writing more raises ``OSError``."""
    resource = pytest.importorskip("resource", reason="needs POSIX's limits")

    @contextmanager
    def full(size_bytes: int) -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return full
