"""Exercises of chapter 40 · Conclusion."""
