"""Exercises of chapter 29 · Configuration search."""
