"""Exercises of chapter 31 · Local SGD."""
