"""Exercises of chapter 2 · The roofline."""
