"""Exercises of chapter A2, probability."""
