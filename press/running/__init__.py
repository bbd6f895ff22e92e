"""Runs chapters: what is stale, and what its cells show."""
