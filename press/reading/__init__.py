"""Reads chapters and the table of contents, and refuses what does not hold together."""
