"""Exercises of chapter 6 · Economics."""
