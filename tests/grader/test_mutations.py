"""The changes that are tried on every solution."""

from __future__ import annotations

from mutations import mutants

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
