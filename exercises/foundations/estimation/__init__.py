"""Exercises of chapter 7 · Estimation."""
