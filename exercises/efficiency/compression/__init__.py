"""Exercises of chapter 30 · Compression."""
