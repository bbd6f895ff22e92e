"""Exercises of chapter 32 · Precision."""
