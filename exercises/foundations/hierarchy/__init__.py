"""Exercises of chapter 3 · The memory hierarchy."""
