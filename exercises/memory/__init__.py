"""Exercises of the part on memory."""
