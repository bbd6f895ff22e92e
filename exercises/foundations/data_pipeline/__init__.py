"""Exercises of chapter 4 · The data pipeline."""
