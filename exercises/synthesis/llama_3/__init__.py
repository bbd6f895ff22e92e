"""Exercises of chapter 37 · Llama 3."""
