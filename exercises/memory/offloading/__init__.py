"""Exercises of chapter 24 · Offloading."""
