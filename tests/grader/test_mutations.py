"""The changes that are tried on every solution."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from bounds import at_most_more, stopped_after
from mutations import mutants

from grader.errors import Stopped

SOURCE = '''
def share(stages: int, *, batches: int = 1) -> float:
    """Return the share that idles."""
    waiting = stages - 1
    if batches < 1:
        raise ValueError("batches")
    return waiting / (batches + waiting)
'''


def test_one_place_is_changed_at_a_time() -> None:
    found = [mutant.after for mutant in mutants(SOURCE, "share")]
    assert len(set(found)) == len(found)
    assert {
        "waiting = stages + 1",
        "waiting = stages",
        "waiting = batches - 1",
        "if batches <= 1:",
        "if True:",
        "return waiting * (batches + waiting)",
        "return waiting / (batches - waiting)",
        "return waiting / batches",
    } <= set(found)
    assert not any("idles" in after or "float =" in after for after in found)


def test_what_a_function_uses_is_changed_too_and_nothing_else() -> None:
    source = "RATE = [2]\nOTHER = [3]\ndef half(x):\n    return x / 2\ndef twice(x):\n    return RATE[0] * half(x)\n"
    found = {mutant.after for mutant in mutants(source, "twice")}
    assert {"RATE = [3]", "return x * 2", "return half(x)"} <= found
    assert not any("OTHER" in after for after in found)


def test_a_change_is_a_program_of_its_own() -> None:
    for mutant in mutants(SOURCE, "share"):
        names: dict[str, object] = {}
        exec(mutant.source, names)
        assert callable(names["share"])
        assert mutant.source != SOURCE


def test_time_is_that_of_the_process_with_the_systems_and_ends_with_the_block() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(Stopped), stopped_after(0.05):
        ask_the_system_without_end()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is before


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says how much memory a process has")
def test_who_allocates_without_end_gets_an_error_and_the_process_goes_on() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    kept: list[bytearray] = []
    with pytest.raises(MemoryError), at_most_more(256 << 20):
        keep_without_end(kept)
    assert 8 <= len(kept) <= 64  # what the process has reserved already comes first
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert len(bytearray(512 << 20)) == 512 << 20


def ask_the_system_without_end() -> None:
    while True:
        os.stat(os.curdir)


def keep_without_end(kept: list[bytearray]) -> None:
    while True:
        kept.append(bytearray(1 << 24))
