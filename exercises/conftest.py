"""``pytest exercises`` grades answers: ``grader/plugin.py`` says how."""

from grader.plugin import *  # noqa: F403 – pytest finds the hooks here
