"""Exercises of chapter 36 · Investigation."""
