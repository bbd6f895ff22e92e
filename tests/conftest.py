"""Fixtures that the tests of every folder may ask for."""

from __future__ import annotations

from browser_fixtures import address, browser, open_page, served, site
from full_disk import full_after

collect_ignore_glob = ["grader/*_answers"]  # readers' answers, which are no tests

__all__ = ["address", "browser", "full_after", "open_page", "served", "site"]
