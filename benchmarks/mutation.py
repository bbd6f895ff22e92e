"""Mutation testing of the formula modules: change a formula a little, and see whether one of its tests notices.

``pip install -r benchmarks/requirements-mutation.txt`` after the book's own requirements, then ``python
benchmarks/mutation.py`` for all modules or ``python benchmarks/mutation.py memory.zero.formulas`` for some. mutmut
makes the mutants and runs each against the tests that are about its module: its doctests, the test files that import
it, and its part of ``tests/test_bad_input.py``. A survivor is printed as the line that it changes. One that is no
mistake, because the changed formula gives the same numbers, stands in ``equivalent_mutants.toml`` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from snippets.index import listed

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "benchmarks" / "equivalent_mutants.toml"
WALK = "tests/test_bad_input.py"
NEEDED = ("snippets", "tests", "exercises", "press", "conftest.py", "pyproject.toml")
SURVIVED = (0, 5, 33)  # mutmut's codes: the tests pass, there is none, none reaches the mutant
KILLED = (1, 2, 3, 24, -24, 36, 152, 255)  # the tests fail, nothing can be imported, pytest breaks, the time is up

# Mutants are forked from a process that has imported everything and run the tests once. So the snippets, and what holds
# on to them, are imported anew: what runs at import, and what is cached, is made by the mutant.
AFRESH = """

def pytest_configure():
    import sys
    from mutmut.mutation.trampoline import get_mutant_under_test

    if "__mutmut_" in get_mutant_under_test():
        for name, module in list(sys.modules.items()):
            if name != "conftest" and str(getattr(module, "__file__", "")).startswith(os.getcwd()):
                del sys.modules[name]
"""

SETTINGS = """
[tool.mutmut]
source_paths = ["snippets"]
only_mutate = ["{path}"]
also_copy = {needed}
pytest_add_cli_args = {options}
pytest_add_cli_args_test_selection = {tests}
"""


@dataclass(frozen=True)
class Survivor:
    """A mutant that no test notices: where it is, and the lines before and after."""

    function: str
    before: str
    after: str


def formula_modules() -> Iterator[str]:
    """Yield the modules that say of themselves that they are formulas, without the leading ``snippets.``."""
    for path in sorted((ROOT / "snippets").rglob("*.py")):
        if (ast.get_docstring(ast.parse(path.read_text())) or "").startswith("Formulas:"):
            yield ".".join(path.relative_to(ROOT / "snippets").with_suffix("").parts)


def path_of(module: str) -> str:
    return f"snippets/{module.replace('.', '/')}.py"


def imported(path: Path) -> set[str]:
    """Return the modules, and the names in modules, that a file imports; of a name at the front door, its module."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    homes = {f"snippets.{name}": module for kind in listed().values() for name, (module, _) in kind.items()}
    return names | {homes[name] for name in names if name in homes}


def tests_of(module: str) -> list[str]:
    """Return the module, for its doctests, and the test files that import it."""
    files = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if f"snippets.{module}" in imported(path)]
    files = [
        path for path in files if not {name.partition(".")[0] for name in imported(path)} & {"press", "benchmarks"}
    ]
    named = [path.relative_to(ROOT).as_posix() for path in files]
    return [path_of(module), *(name for name in named if name != WALK), WALK]


def prepare(folder: Path, module: str) -> None:
    """Copy what the tests need, with mutmut's settings for one module."""
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    with (folder / "conftest.py").open("a") as conftest:
        conftest.write(AFRESH)
    walk = f"(not test_bad_values_are_refused_by_name and not test_there_is_a_valid_call or {module})"
    walk += " and not standard_library_alone"  # such a test starts a Python that has no mutmut
    options = [
        "--hypothesis-seed=0",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "--override-ini",
        "addopts=--doctest-modules",
        "-k",
        walk,
    ]
    with (folder / "pyproject.toml").open("a") as settings:
        settings.write(
            SETTINGS.format(
                path=path_of(module),
                needed=json.dumps([name for name in NEEDED if name not in ("snippets", "pyproject.toml")]),
                options=json.dumps(options),
                tests=json.dumps(tests_of(module)),
            )
        )


def mutmut(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BOOK_SAMPLE": "all", "PYTHONPATH": ""}  # as many examples as at night
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def codes(folder: Path, module: str) -> dict[str, int | None]:
    """Return what became of each mutant; ``None`` for those that did not run."""
    meta = folder / "mutants" / f"{path_of(module)}.meta"
    found: dict[str, int | None] = json.loads(meta.read_text())["exit_code_by_key"] if meta.exists() else {}
    return found


def run(folder: Path, module: str, *, sample: int, seed: int) -> dict[str, int | None]:
    """Make a module's mutants, run a sample of them (all with 0), and return what became of those."""
    made = mutmut(folder, "run", "--max-children", "1", "none yet")
    names = sorted(codes(folder, module))
    if not names:
        if "mutant" not in made.stderr + made.stdout:
            raise RuntimeError(made.stdout[-2000:] + made.stderr[-2000:])
        return {}
    chosen = random.Random(f"{seed} {module}").sample(names, sample) if 0 < sample < len(names) else names
    done = mutmut(folder, "run", "--max-children", "1", *chosen)
    found = {name: code for name, code in codes(folder, module).items() if name in set(chosen)}
    strange = {name: code for name, code in found.items() if code not in SURVIVED + KILLED}
    if strange:
        raise RuntimeError(f"{strange}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found


def survivor(folder: Path, name: str) -> Survivor:
    lines = mutmut(folder, "show", name).stdout.splitlines()
    changed = {sign: [line[1:].strip() for line in lines if line[:1] == sign != line[1:2]] for sign in "-+"}
    before, after = "\n".join(changed["-"]), "\n".join(changed["+"])
    return Survivor(name.partition("__mutmut_")[0].removeprefix("snippets."), before, after)


def is_default(one: Survivor) -> bool:
    """Return whether only a default changed: mutmut's wrapper passes its own, so such a mutant is never run."""
    return one.before.startswith("def ") or re.fullmatch(r"\w+: [^=]+ = .+,", one.before) is not None


def is_guard(one: Survivor) -> bool:
    """Return whether only ``strict=True`` of a ``zip`` went: it guards what the checks before it have made sure of."""
    before, after = (re.sub(r",\s*(strict=\w+)?\s*\)", ")", line) for line in (one.before, one.after))
    return before == after


def equivalents() -> set[tuple[str, str]]:
    """Return module and changed line of each mutant that is recorded to be no mistake."""
    return {(entry["module"], entry["after"]) for entry in tomllib.loads(EQUIVALENT.read_text())["mutant"]}


def try_module(module: str, *, sample: int, seed: int, known: set[tuple[str, str]]) -> tuple[int, int, int]:
    """Run a module's mutants, print its line and its survivors, and return killed, equivalent and all."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        prepare(folder, module)
        found = run(folder, module, sample=sample, seed=seed)
        made = len(codes(folder, module))
        alive = [survivor(folder, name) for name, code in found.items() if code in SURVIVED]
    left = [one for one in alive if (module, one.after) not in known and not is_default(one) and not is_guard(one)]
    killed, equivalent = len(found) - len(alive), len(alive) - len(left)
    print(
        f"{module}: {killed} killed, {equivalent} equivalent, {len(left)} left, {len(found)} of {made} mutants,", end=""
    )
    print(f" {time.monotonic() - began:.0f} s")
    for one in left:
        print(f"  {one.function}\n    - {one.before}\n    + {one.after}")
    sys.stdout.flush()
    return killed, equivalent, len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", help="such as memory.zero.formulas; all formula modules where left out")
    parser.add_argument("--sample", type=int, default=60, help="mutants of each module, drawn by the seed; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    known, counts = equivalents(), []
    for module in asked.modules or formula_modules():
        counts.append(try_module(module, sample=asked.sample, seed=asked.seed, known=known))
    killed, equivalent, run_in_all = (sum(column) for column in zip(*counts, strict=True))
    share = killed / max(run_in_all - equivalent, 1)
    print(f"all: {killed} killed of {run_in_all - equivalent} that are not equivalent, {share:.1%}")
    sys.exit(share < 0.9)


if __name__ == "__main__":
    main()
