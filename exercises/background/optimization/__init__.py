"""Exercises of chapter A3, optimization."""
