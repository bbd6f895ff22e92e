"""Fixtures that the tests of every folder may ask for."""

from __future__ import annotations

from browser_fixtures import address, browser, open_page, served, site

__all__ = ["address", "browser", "open_page", "served", "site"]
