"""The branch from which Colab opens the notebooks: a repository holds there what the site does, and nothing older."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from press.site.addresses import NOTEBOOKS

SCRIPT = Path(__file__).parents[3] / ".ci/notebooks"


def listed(repository: Path) -> list[str]:
    command = ["git", "-C", str(repository), "ls-tree", "-r", "--name-only", NOTEBOOKS]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.skipif(not shutil.which("git"), reason="needs git: install it and run pytest again")
def test_the_branch_holds_the_site_s_notebooks_and_nothing_else(tmp_path: Path) -> None:
    site, repository = tmp_path / "site", tmp_path / "there.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(repository)], check=True)
    for name in ("index.html", "part/01-one/index.html", "part/01-one/01-one.ipynb", "part/02-two/02-two.ipynb"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("{}")
    subprocess.run([str(SCRIPT), str(site), str(repository)], check=True)
    assert listed(repository) == ["part/01-one/01-one.ipynb", "part/02-two/02-two.ipynb"]
    shutil.rmtree(site / "part/02-two")
    subprocess.run([str(SCRIPT), str(site), str(repository)], check=True)
    assert listed(repository) == ["part/01-one/01-one.ipynb"]
