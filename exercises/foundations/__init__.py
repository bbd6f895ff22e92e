"""Exercises of Part I, foundations."""
