"""Exercises of chapter A1, linear algebra."""
