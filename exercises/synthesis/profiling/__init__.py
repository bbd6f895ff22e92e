"""Exercises of chapter 35 · Profiling."""
