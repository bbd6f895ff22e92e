"""Exercises of chapter 34 · Architecture."""
