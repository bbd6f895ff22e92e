"""Exercises of chapter 33 · Overlap."""
