"""Exercises of chapter 23 · Recomputation."""
