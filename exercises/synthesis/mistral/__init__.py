"""Exercises of chapter 39 · Mistral."""
