"""Mutation testing of the formula modules: change a formula a little, and see whether one of its tests notices.

``pip install -r benchmarks/requirements-mutation.txt`` after the book's own requirements, then ``python -m
benchmarks.mutation`` for all modules or ``python -m benchmarks.mutation memory.zero.formulas`` for some. mutmut
makes the mutants and runs each against the tests that are about its module: its doctests, the tests of its room that
import it, and its part of ``tests/test_bad_input.py``; first with the day's samples, then with the night's. What they
leave alive meets all test files that import it. A test that fails on mutmut's own wrapping, before anything is changed
(one that looks at docstrings or sources), is left out and named. A survivor is printed as the line that it changes. One
that is no mistake, because the changed formula gives the same numbers, stands in ``equivalent_mutants.toml`` with the
reason.
"""

from __future__ import annotations

import argparse
import ast
import functools
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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from snippets.index import listed

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "benchmarks" / "equivalent_mutants.toml"
WALK = "tests/test_bad_input.py"
FOLDERS = ("snippets", "tests", "exercises", "press", "grader", "labs", "chapters", "docs")
NEEDED = (*FOLDERS, "conftest.py", "pyproject.toml", "mkdocs.yml", "README.md", "CONTRIBUTING.md")
SURVIVED = (0, 5, 33)  # mutmut's codes: the tests pass, there is none, none reaches the mutant
KILLED = (1, 2, 3, 24, -24, 36, 152, 255)  # the tests fail, nothing can be imported, pytest breaks, the time is up

FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)  # pytest's summary
MOST_LEFT_OUT = 10  # tests of a module; with more something else is wrong

# Mutants are forked from a process that has imported everything and run the tests once. So the snippets, and what holds
# on to them, are imported anew: what runs at import, and what is cached, is made by the mutant.
AFRESH = """

def pytest_configure():
    import sys
    from mutmut.mutation.trampoline import get_mutant_under_test

    under_test = get_mutant_under_test()
    if "__mutmut_" in under_test or under_test == "fail":  # mutmut's own trial, which some test has to fail
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


@functools.cache
def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, and the names in them.

    Of a name at the front door also its module, and of a module also those whose names it hands on (``name as name``).
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    homes = {f"snippets.{name}": module for kind in listed().values() for name, (module, _) in kind.items()}
    at_door = {"snippets.door"} if "snippets" in names else set()
    return names | at_door | {homes[name] for name in names if name in homes} | handed_on(names)


def handed_on(modules: set[str]) -> set[str]:
    """Return the modules whose names other modules of the snippets hand on."""
    found = set()
    for name in modules:
        path = ROOT / f"{name.replace('.', '/')}.py"
        if name.startswith("snippets.") and path.is_file():
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ImportFrom) and any(alias.name == alias.asname for alias in node.names):
                    found.add(str(node.module))
    return found


def tests_of(module: str) -> tuple[list[str], list[str]]:
    """Return the tests of a module, its doctests first, and the others that import it.

    Its own are those of its room, or at the top those that have its name; where there are none, all that import it.
    """
    files = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if f"snippets.{module}" in imported(path)]
    files = [
        path for path in files if not {name.partition(".")[0] for name in imported(path)} & {"press", "benchmarks"}
    ]
    named = [name for path in files if (name := path.relative_to(ROOT).as_posix()) != WALK]
    room, _, last = module.rpartition(".")
    home = f"tests/{room.replace('.', '/')}/" if room else rf"tests/test_(\w+_)?{last}\b"
    own = [name for name in named if re.match(home, name)] or named
    return [path_of(module), *own, WALK], [name for name in named if name not in own]


def prepare(folder: Path, module: str, tests: Sequence[str], *, left_out: Sequence[str]) -> None:
    """Copy what the tests need, with mutmut's settings for one module."""
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    with (folder / "conftest.py").open("a") as conftest:
        conftest.write(AFRESH)
    walk = f"(not {Path(WALK).stem} or snippets.{module}.)"  # of the walk over all modules this one's part
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
        *(f"--deselect={test}" for test in left_out if "::" in test),
    ]
    with (folder / "pyproject.toml").open("a") as settings:
        settings.write(
            SETTINGS.format(
                path=path_of(module),
                needed=json.dumps([name for name in NEEDED if name not in ("snippets", "pyproject.toml")]),
                options=json.dumps(options),
                tests=json.dumps([name for name in tests if name not in left_out]),
            )
        )


def mutmut(folder: Path, *arguments: str, samples: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BOOK_SAMPLE": samples, "PYTHONPATH": ""}
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def codes(folder: Path, module: str) -> dict[str, int | None]:
    """Return what became of each mutant; ``None`` for those that did not run."""
    meta = folder / "mutants" / f"{path_of(module)}.meta"
    found: dict[str, int | None] = json.loads(meta.read_text())["exit_code_by_key"] if meta.exists() else {}
    return found


def make(
    folder: Path, module: str, tests: Sequence[str], left_out: Sequence[str] = (), *, samples: str
) -> tuple[Path, Sequence[str]]:
    """Make a module's mutants below a folder; return where, and the tests that fail before anything is changed."""
    here = Path(tempfile.mkdtemp(dir=folder))
    prepare(here, module, tests, left_out=left_out)
    said = mutmut(here, "run", "--max-children", "1", "none yet", samples=samples)
    if failed := [test for test in FAILED.findall(said.stdout + said.stderr) if test not in left_out]:
        if len(left_out) + len(failed) > MOST_LEFT_OUT:
            raise RuntimeError(f"{module}: {[*left_out, *failed]} fail before anything is changed")
        return make(folder, module, tests, [*left_out, *failed], samples=samples)
    if not codes(here, module) and "mutant" not in said.stderr + said.stdout:
        raise RuntimeError(said.stdout[-2000:] + said.stderr[-2000:])
    return here, left_out


def run(folder: Path, module: str, names: Sequence[str], *, samples: str) -> dict[str, int | None]:
    """Run some of a module's mutants, and return what became of those."""
    if not names:
        return {}
    done = mutmut(folder, "run", "--max-children", "1", *names, samples=samples)
    found = {name: code for name, code in codes(folder, module).items() if name in set(names)}
    strange = {name: code for name, code in found.items() if code not in SURVIVED + KILLED}
    if strange:
        raise RuntimeError(f"{module}: {strange}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found


def survivors(folder: Path, found: dict[str, int | None]) -> dict[str, Survivor]:
    return {name: survivor(folder, name) for name, code in found.items() if code in SURVIVED}


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


@dataclass(frozen=True)
class Tried:
    """What became of a module's mutants, in numbers and as it is printed."""

    killed: int
    equivalent: int
    mutants: int
    lines: list[str]


def try_module(module: str, *, sample: int, seed: int, known: set[tuple[str, str]]) -> Tried:
    """Run a sample of a module's mutants (all with 0), and return the counts and the survivors.

    They meet the module's own tests by day; what these leave alive meets them as they are at night, and then also the
    others that import it, by day: of these some take minutes at night.
    """
    began = time.monotonic()

    def no_mistake(one: Survivor) -> bool:
        return (module, one.after) in known or is_default(one) or is_guard(one)

    own, others = tests_of(module)
    with tempfile.TemporaryDirectory() as temporary:
        folder, left_out = make(Path(temporary), module, own, samples="")
        names = sorted(codes(folder, module))
        chosen = random.Random(f"{seed} {module}").sample(names, sample) if 0 < sample < len(names) else names
        alive = survivors(folder, run(folder, module, chosen, samples=""))
        for tests, samples in ((own, "all"), ([*own, *others], "")):
            unsure = [name for name, one in alive.items() if not no_mistake(one)]
            if unsure and (samples or others):
                folder, left_out = make(Path(temporary), module, tests, samples=samples)
                found = run(folder, module, unsure, samples=samples)
                alive = {name: one for name, one in alive.items() if found.get(name, 0) in SURVIVED}
    left = [one for one in alive.values() if not no_mistake(one)]
    killed, equivalent = len(chosen) - len(alive), len(alive) - len(left)
    counts = f"{killed} killed, {equivalent} equivalent, {len(left)} left, {len(chosen)} of {len(names)} mutants"
    lines = [f"{module}: {counts}, {time.monotonic() - began:.0f} s", *(f"  without {test}" for test in left_out)]
    lines += [f"  {one.function}\n    - {one.before}\n    + {one.after}" for one in left]
    return Tried(killed, equivalent, len(chosen), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", help="such as memory.zero.formulas; all formula modules where left out")
    parser.add_argument("--sample", type=int, default=60, help="mutants of each module, drawn by the seed; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="modules at a time; as many as cores")
    asked = parser.parse_args()
    attempt = functools.partial(try_module, sample=asked.sample, seed=asked.seed, known=equivalents())
    killed = equivalent = run_in_all = 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        for tried in pool.map(attempt, asked.modules or formula_modules()):
            print("\n".join(tried.lines), flush=True)
            killed, equivalent = killed + tried.killed, equivalent + tried.equivalent
            run_in_all += tried.mutants
    share = killed / max(run_in_all - equivalent, 1)
    print(f"all: {killed} killed of {run_in_all - equivalent} that are not equivalent, {share:.1%}")
    sys.exit(share < 0.9)


if __name__ == "__main__":
    main()
