"""Exercises of chapter A4, information theory."""
