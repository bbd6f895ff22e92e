"""Exercises of chapter 21, the memory equation."""
