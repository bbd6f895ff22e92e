"""Exercises of chapter 5, latency and bandwidth."""
