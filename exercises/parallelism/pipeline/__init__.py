"""Exercises of chapter 18, pipeline parallelism."""
