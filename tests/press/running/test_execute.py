"""Chapters are executed when they are stale, and only then; a killed build leaves nothing half-written."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
from small_book import CHAPTER, SmallBook

from press.problems import Problem
from press.reading.chapter import find_chapters
from press.running import execute
from press.running.execute import execute_chapters
from press.running.kernels import can_fork_kernels

pytestmark = pytest.mark.book

ONE = "chapters/part/01-one.md"
TWO = "chapters/part/02-two.md"
HEADER = CHAPTER[: CHAPTER.index("# One")]


class Builder:
    """Runs ``execute_chapters`` on a book and remembers what it reported."""

    def __init__(self, book: SmallBook) -> None:
        self.book = book
        self.reports: list[str] = []

    def __call__(self, **options: Any) -> list[Problem]:
        self.reports = []
        paths = find_chapters(self.book.root)
        return execute_chapters(paths, root=self.book.root, report=self.reports.append, **options)

    @property
    def executed(self) -> list[str]:
        return sorted(line.split()[1] for line in self.reports if line.startswith("executed"))

    def executed_notebook(self, name: str) -> Any:
        return json.loads(self.book.read(name.replace(".md", ".ipynb")))

    def outputs(self, name: str) -> list[str]:
        return [
            "".join(output.get("text", ""))
            for cell in self.executed_notebook(name)["cells"]
            if cell["cell_type"] == "code"
            for output in cell["outputs"]
            if output["output_type"] == "stream"
        ]

    def edit(self, name: str, change: Callable[[Any], object]) -> None:
        """Change the first code cell of an executed notebook, as a program that knows nothing of the press would."""
        executed = self.executed_notebook(name)
        change(next(cell for cell in executed["cells"] if cell["cell_type"] == "code"))
        self.book.write(name.replace(".md", ".ipynb"), json.dumps(executed))

    def chapter(self, name: str, *cells: str) -> None:
        """Write a chapter of these code cells, and take the other chapters away."""
        for path in find_chapters(self.book.root):
            path.unlink()
        self.book.write(name, HEADER + "".join(f"\n```python\n{cell}\n```\n" for cell in cells))


@pytest.fixture
def build(small_book: SmallBook) -> Builder:
    return Builder(small_book)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> SmallBook:
    """A book whose executed notebooks are made."""
    book = SmallBook(tmp_path_factory.mktemp("finished"))
    assert Builder(book)() == []
    return book


@pytest.fixture
def built(build: Builder, finished: SmallBook) -> Builder:
    """A builder of a book that was built before."""
    for name in (ONE, TWO):
        for path in (name, name.replace(".md", ".ipynb")):
            shutil.copy2(finished.root / path, build.book.root / path)
    return build


@pytest.fixture(params=["forked", "ordinary"])
def both_kinds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "ordinary":
        monkeypatch.setenv("PRESS_FORK", "0")
    elif not can_fork_kernels():
        pytest.skip("kernels cannot be forked on this system: they are started one by one")


@pytest.mark.usefixtures("both_kinds")
def test_executed_notebooks_hold_the_outputs_and_are_valid(build: Builder) -> None:
    assert build() == []
    assert build.executed == [ONE, TWO]
    assert build.outputs(ONE) == ["6\n"]
    assert build.outputs(TWO) == ["6\n"]
    for name in (ONE, TWO):
        nbformat.validate(nbformat.from_dict(build.executed_notebook(name)))
    first = {name: build.book.read(name.replace(".md", ".ipynb")) for name in (ONE, TWO)}
    for name in first:
        (build.book.root / name).with_suffix(".ipynb").unlink()
    build()
    assert {name: build.book.read(name.replace(".md", ".ipynb")) for name in (ONE, TWO)} == first


def test_forked_and_ordinary_kernels_give_the_same_bytes(build: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    if not can_fork_kernels():
        pytest.skip("kernels cannot be forked on this system: they are started one by one")
    build()
    forked = build.book.read(ONE.replace(".md", ".ipynb"))
    (build.book.root / ONE).with_suffix(".ipynb").unlink()
    monkeypatch.setenv("PRESS_FORK", "0")
    build()
    assert build.book.read(ONE.replace(".md", ".ipynb")) == forked


@pytest.mark.parametrize(
    ("name", "old", "new", "executed"),
    [
        (ONE, "print(total([1, 2, 3]))", "print(total([1, 2, 4]))", [ONE]),
        ("sums/total.py", "sum(values)", "sum(values) + 1", [ONE]),
        ("sums/product.py", "math.prod(values)", "math.prod(values) + 1", [TWO]),
        ("sums/__init__.py", "", "x = 1", [ONE, TWO]),
        ("requirements.txt", "numpy", "numpy==2", [ONE, TWO]),
        (ONE, "holds $n$ words", "holds *n* words", []),
        ("docs/index.md", "# Home", "# House", []),
    ],
)
def test_what_is_executed_again(built: Builder, name: str, old: str, new: str, executed: list[str]) -> None:
    built()
    assert built.reports == []
    built.book.replace(name, old, new)
    built()
    assert built.executed == executed


def test_new_prose_is_taken_into_the_executed_notebook_and_keeps_outputs(built: Builder) -> None:
    built.book.replace(ONE, "holds $n$ words", "keeps $n$ words")
    built()
    assert built.reports == []
    assert "keeps $n$ words" in built.book.read(ONE.replace(".md", ".ipynb"))
    assert built.outputs(ONE) == ["6\n"]
    taken = built.book.read(ONE.replace(".md", ".ipynb"))
    (built.book.root / ONE).with_suffix(".ipynb").unlink()
    built()
    assert built.book.read(ONE.replace(".md", ".ipynb")) == taken


def test_a_fresh_executed_notebook_is_not_touched(built: Builder) -> None:
    executed = (built.book.root / ONE).with_suffix(".ipynb")
    before = executed.stat().st_ino
    built()
    assert executed.stat().st_ino == before
    assert executed.stat().st_mtime_ns == (built.book.root / ONE).stat().st_mtime_ns


def test_a_notebook_that_was_found_to_agree_is_not_taken_apart_again(
    built: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (built(), built.executed) == ([], [])  # sees that both agree
    taken_apart: list[str] = []
    real = execute.read_executed

    def read(path: Path) -> Any:
        taken_apart.append(path.name)
        return real(path)

    monkeypatch.setattr(execute, "read_executed", read)
    assert (built(), built.executed, taken_apart) == ([], [], [])
    built.edit(ONE, lambda cell: cell["outputs"].clear())
    assert (built(), built.executed, taken_apart[0]) == ([], [ONE], "01-one.ipynb")
    built.book.write("sums/total.py", built.book.read("sums/total.py") + "\nADDED = 1\n")
    assert built() == []
    assert built.executed  # though text and notebook are as they were


def test_foreign_outputs_are_not_trusted(built: Builder) -> None:
    built.edit(ONE, lambda cell: cell["outputs"][0].update(text="7\n"))
    built()
    assert built.executed == [ONE]
    assert built.outputs(ONE) == ["6\n"]


def test_what_a_reader_wrote_into_an_executed_notebook_is_kept(built: Builder) -> None:
    for text in ("mine", "mine too"):
        built.edit(ONE, lambda cell, text=text: cell.update(source=f"print('{text}')"))  # type: ignore[misc]
        built()
        assert any("your copy is kept as" in line for line in built.reports)
    kept = sorted((built.book.root / "chapters/part").glob("*.kept-*.ipynb"))
    assert [path.name for path in kept] == ["01-one.kept-1.ipynb", "01-one.kept-2.ipynb"]
    assert "mine too" in kept[1].read_text()
    assert built.outputs(ONE) == ["6\n"]
    assert find_chapters(built.book.root) == [built.book.root / ONE, built.book.root / TWO]


def test_nothing_is_set_aside_when_both_were_saved_as_jupytext_does(built: Builder) -> None:
    built.edit(ONE, lambda cell: cell.update(source="print('mine')"))
    built.book.replace(ONE, "from sums.total import total\n\nprint(total([1, 2, 3]))", "print('mine')")
    built()
    assert built.outputs(ONE) == ["mine\n"]
    assert list((built.book.root / "chapters/part").glob("*.kept-*")) == []


@pytest.mark.parametrize("broken", ["", "{", "[]", "null"])
def test_an_unreadable_executed_notebook_is_set_aside_and_made_anew(build: Builder, broken: str) -> None:
    build.book.write(ONE.replace(".md", ".ipynb"), broken)
    assert build() == []
    assert build.outputs(ONE) == ["6\n"]


@pytest.mark.parametrize(
    ("cells", "line", "message"),
    [
        (["x = 1", "y = 2\n\nraise ValueError('no')"], 3, "cell 2 raised ValueError: no"),
        (["x = 1", "def f():\n    return 1 / 0\n\nf()"], 4, "cell 2 raised ZeroDivisionError"),
        (["x = 1", "y = 2\nassert (x +\n  1) < y"], 2, "raised AssertionError: (x + 1) < y does not hold: 2 < 2"),
        (["x = 1", "a = 1\nb = = 2"], 2, "cell 2 raised SyntaxError"),
        (["x = 1", "import os\nos._exit(1)"], 1, "cell 2 ended the kernel"),
        (["x = 1", "import time\ntime.sleep(60)"], 1, "cell 2 took longer than its 2 s limit"),
    ],
)
@pytest.mark.usefixtures("both_kinds")
def test_a_failing_cell_is_named(build: Builder, cells: list[str], line: int, message: str) -> None:
    build.chapter(ONE, *cells)
    (problem,) = build(cell_timeout_s=2)
    text = build.book.read(ONE)
    first = text[: text.index(cells[1])].count("\n") + 1
    assert (problem.path, problem.line) == (ONE, first + line - 1)
    assert message in problem.message
    assert not (build.book.root / ONE).with_suffix(".ipynb").exists()


def test_one_broken_chapter_does_not_stop_the_other_and_its_old_executed_notebook_stays(built: Builder) -> None:
    old = built.book.read(ONE.replace(".md", ".ipynb"))
    built.book.replace(ONE, "print(total([1, 2, 3]))", "1 / 0")
    built.book.replace(TWO, "[2, 3]", "[2, 4]")
    (problem,) = built()
    assert problem.path == ONE
    assert built.outputs(TWO) == ["8\n"]
    assert built.book.read(ONE.replace(".md", ".ipynb")) == old


def test_a_cell_may_be_meant_to_fail_or_given_more_time(build: Builder) -> None:
    build.chapter(ONE, "x = 1")
    extra = (
        '\n```python tags=["raises-exception"]\n1 / 0\n```\n\n```python timeout=30\nimport time\ntime.sleep(4)\n```\n'
    )
    build.book.write(ONE, build.book.read(ONE) + extra)
    assert build(cell_timeout_s=3) == []
    outputs = [output for cell in build.executed_notebook(ONE)["cells"] for output in cell.get("outputs", [])]
    assert [output["ename"] for output in outputs] == ["ZeroDivisionError"]


@pytest.mark.usefixtures("both_kinds")
def test_cells_run_in_the_root_with_settings_of_their_own(build: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLCONFIGDIR", "/nowhere")
    monkeypatch.setenv("PYTHONHASHSEED", "17")
    build.chapter(
        ONE,
        "import os, matplotlib\nprint(os.getcwd())\nprint(os.environ['PYTHONHASHSEED'], matplotlib.get_configdir())",
        "import sums\nprint(sums.__file__)",
    )
    assert build() == []
    first, second = build.outputs(ONE)
    root = str(build.book.root)
    assert first.splitlines()[0] == root
    assert first.splitlines()[1] == "0 .press/matplotlib"  # the root is cut off
    assert second == "sums/__init__.py\n"


def test_a_plain_plot_is_shown_as_in_any_notebook(build: Builder) -> None:
    build.chapter(ONE, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    assert build() == []
    (output,) = [output for cell in build.executed_notebook(ONE)["cells"] for output in cell.get("outputs", [])]
    assert "image/png" in output["data"]


SCRIPT = """
import sys
from pathlib import Path
from press.reading.chapter import find_chapters
from press.running.execute import execute_chapters
root = Path(sys.argv[1])
print("ready", flush=True)
for problem in execute_chapters(find_chapters(root), root=root, jobs=2):
    print(problem, file=sys.stderr, flush=True)
"""


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder for temporary files whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        yield Path(folder)


@pytest.fixture
def start(small_book: SmallBook, short_folder: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    processes = []

    def run() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", SCRIPT, str(small_book.root)]
        environment = {**os.environ, "TMPDIR": str(short_folder)}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        processes.append(process)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        return process

    yield run
    for process in processes:
        process.kill()
        process.wait()


def processes_in(folder: Path) -> list[str]:
    """Return the processes whose working directory is ``folder``."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder):
                found.append(entry.name)
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


@pytest.mark.book
def test_a_build_killed_at_any_moment_leaves_the_next_one_whole(
    built: Builder, start: Callable[[], subprocess.Popen[str]]
) -> None:
    notebooks = [(built.book.root / name).with_suffix(".ipynb") for name in (ONE, TWO)]
    whole = [notebook.read_bytes() for notebook in notebooks]
    rng = random.Random(7)
    for _ in range(5):
        for notebook in notebooks:
            notebook.unlink(missing_ok=True)
        process = start()
        time.sleep(rng.uniform(0, 2.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for notebook, content in zip(notebooks, whole, strict=True):
            assert not notebook.exists() or notebook.read_bytes() == content
    built()
    assert [notebook.read_bytes() for notebook in notebooks] == whole
    assert list((built.book.root / "chapters").rglob("*.press-part")) == []
    if Path("/proc").exists():
        wait_for(lambda: not processes_in(built.book.root))


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to see which processes run (Linux)")
def test_a_finished_build_leaves_nothing_behind(build: Builder, short_folder: Path, start: Any) -> None:
    start().wait(300)
    assert build.outputs(ONE) == ["6\n"]
    assert processes_in(build.book.root) == []
    assert list(short_folder.glob("press-*")) == []


def test_it_runs_in_a_thread_as_under_serve(build: Builder) -> None:
    thread = threading.Thread(target=build)
    thread.start()
    thread.join()
    assert build.outputs(ONE) == ["6\n"]


@pytest.mark.usefixtures("both_kinds")
def test_outputs_are_in_order_and_without_what_differs_from_run_to_run(build: Builder) -> None:
    cell = (
        "import sys, warnings\nfrom IPython.display import Markdown, display\nprint('e', file=sys.stderr, flush=True)\n"
        "print('a')\nprint('b', end='')\ndisplay(Markdown('c'))\nprint('1 %\\r2 %')\nwarnings.warn('old')\nobject()"
    )
    build.chapter(ONE, cell, "import sums\nsums.__file__")
    assert build() == []
    outputs = [output for cell in build.executed_notebook(ONE)["cells"] for output in cell.get("outputs", [])]
    said = [
        output.get("text") or output["data"].get("text/markdown") or output["data"]["text/plain"] for output in outputs
    ]
    warning = "<cell>:8: UserWarning: old\n  warnings.warn('old')\n"
    assert said == ["a\nb", "e\n", "c", "2 %\n", warning, "<object at 0x…>", "'sums/__init__.py'"]
    assert [output["execution_count"] for output in outputs if "execution_count" in output] == [1, 2]


def test_tracebacks_hold_no_path_of_this_machine(build: Builder) -> None:
    build.chapter(ONE, "x = 1")
    cell = '\n```python tags=["raises-exception"]\nfrom sums.total import total\ntotal(1)\n```\n'
    build.book.write(ONE, build.book.read(ONE) + cell)
    assert build() == []
    executed = build.book.read(ONE.replace(".md", ".ipynb"))
    assert "sums/total.py" in executed
    assert str(build.book.root) not in executed


@pytest.mark.usefixtures("both_kinds")
def test_svg_of_plain_matplotlib_is_the_same_each_time(build: Builder) -> None:
    build.chapter(
        ONE,
        "from matplotlib_inline.backend_inline import set_matplotlib_formats\nset_matplotlib_formats('svg')\n"
        "from pylab import *\nplot([1, 2])\ngrid();",
    )
    executed = []
    for _ in range(2):
        assert build() == []
        executed.append(build.book.read(ONE.replace(".md", ".ipynb")))
        (build.book.root / ONE).with_suffix(".ipynb").unlink()
    assert "<svg" in executed[0]
    assert executed[0] == executed[1]


@pytest.mark.usefixtures("both_kinds")
def test_the_callers_settings_do_not_count(build: Builder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    startup = tmp_path / "startup.py"
    startup.write_text("print('mine')\nassert_off = True\n")
    profile = tmp_path / "ipython/profile_default"
    profile.mkdir(parents=True)
    (profile / "ipython_kernel_config.py").write_text("get_config().IPKernelApp.exec_lines = ['mine = 1']\n")
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 17\n")
    for name, value in {
        "PYTHONOPTIMIZE": "1",
        "PYTHONSTARTUP": str(startup),
        "PYTHONWARNINGS": "error",
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "MATPLOTLIBRC": str(tmp_path),
        "OMP_NUM_THREADS": "7",
    }.items():
        monkeypatch.setenv(name, value)
    build.chapter(
        ONE,
        "import os, time, matplotlib\n"
        "print(__debug__, matplotlib.rcParams['lines.linewidth'], os.environ['OMP_NUM_THREADS'], time.tzname[0])\n"
        "print('mine' in globals(), 'assert_off' in globals())",
    )
    assert build() == []
    assert build.outputs(ONE) == ["True 1.5 1 UTC\nFalse False\n"]


def test_each_chapter_has_a_kernel_of_its_own(build: Builder) -> None:
    build.book.replace(ONE, "print(total([1, 2, 3]))", "import math\nmath.pi = 3\nprint(total([1, 2, 3]))")
    build.book.replace(TWO, "print(product", "import math\nprint(math.pi > 3.1, product")
    assert build(jobs=1) == []
    assert build.outputs(TWO) == ["True 6\n"]


def test_an_unreadable_chapter_is_a_problem_and_the_others_go_on(build: Builder) -> None:
    build.book.replace(ONE, "level: Beginner", "level: [Beginner")
    (problem,) = build()
    assert (problem.path, build.executed) == (ONE, [TWO])
    assert "the header is not YAML" in problem.message


def test_an_edited_executed_notebook_stays_in_its_place_while_the_chapter_fails(built: Builder) -> None:
    built.book.replace(ONE, "print(total([1, 2, 3]))", "1 / 0")
    built.edit(ONE, lambda cell: cell.update(source="print('mine')"))
    edited = built.book.read(ONE.replace(".md", ".ipynb"))
    assert len(built()) == 1
    assert built.book.read(ONE.replace(".md", ".ipynb")) == edited
    assert list((built.book.root / "chapters/part").glob("*.kept-*")) == []


def test_an_edit_made_while_the_cells_run_is_kept(built: Builder) -> None:
    executed = ONE.replace(".md", ".ipynb")
    edit = "mine.write_text(mine.read_text().replace('total', 'mine'))"
    cell = f"from pathlib import Path\nmine = Path('{executed}')\n{edit}"
    built.book.replace(ONE, "print(total([1, 2, 3]))", cell)
    assert built() == []
    (kept,) = (built.book.root / "chapters/part").glob("*.kept-*")
    assert "from sums.mine import mine" in kept.read_text()


def test_what_killed_builds_left_is_swept_away(built: Builder) -> None:
    left = ["chapters/part/01-one.17.press-part", ".press/matplotlib/fontlist.json.matplotlib-lock"]
    for name in left:
        built.book.write(name, "half")
    built()
    assert built.reports == []
    assert [name for name in left if (built.book.root / name).exists()] == []


def test_an_input_that_the_header_names_is_noticed(build: Builder) -> None:
    build.book.write("data/a.txt", "1")
    build.chapter(ONE, "print(open('data/a.txt').read())")
    build.book.replace(ONE, "minutes: 5", "minutes: 5\ninputs: [data/*.txt]")
    assert build() == []
    build.book.write("data/a.txt", "2")
    assert build() == []
    assert build.outputs(ONE) == ["2\n"]
