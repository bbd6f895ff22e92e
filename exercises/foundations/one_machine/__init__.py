"""Exercises of chapter 1 · One machine."""
