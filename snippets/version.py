"""Formulas: which version of the book this is. A page's Python has no package that could say so; a test compares."""

BOOK_VERSION = "1.0.0"
