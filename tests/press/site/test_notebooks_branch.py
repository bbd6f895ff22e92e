"""The branch from which Colab opens the notebooks: a repository holds there what the site does, and nothing older."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from press.site.addresses import NOTEBOOKS

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / ".ci/notebooks"


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


@pytest.mark.skipif(not shutil.which("git"), reason="needs git: install it and run pytest again")
def test_a_repository_that_asks_for_a_password_gets_the_token_of_the_environment(tmp_path: Path) -> None:
    asked: list[str | None] = []

    class Asking(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["Authorization"])
            self.send_response(401 if asked == [None] else 403)
            self.send_header("WWW-Authenticate", 'Basic realm="there"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    (tmp_path / "site").mkdir()
    (tmp_path / "site/a.ipynb").write_text("{}")
    with HTTPServer(("127.0.0.1", 0), Asking) as there:
        threading.Thread(target=there.serve_forever, daemon=True).start()
        repository = f"http://127.0.0.1:{there.server_port}/there.git"
        environment = {**os.environ, "GH_TOKEN": "a-token", "GIT_TERMINAL_PROMPT": "0", "no_proxy": "*"}
        done = subprocess.run(
            [str(SCRIPT), str(tmp_path / "site"), repository], env=environment, capture_output=True, text=True
        )
        there.shutdown()
    assert done.returncode != 0  # the server refuses whatever it is given
    assert asked == [None, "Basic " + base64.b64encode(b"x-access-token:a-token").decode()]
    assert "a-token" not in done.stdout + done.stderr


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_a_workflow_keeps_no_credentials_and_puts_no_token_into_a_command(workflow: Path) -> None:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    steps = [step for job in jobs for step in job["steps"]]
    for step in steps:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        assert not re.search(r"TOKEN|\$\{\{|secrets", step.get("run", "")), step
