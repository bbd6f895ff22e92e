"""Exercises of chapter 38 · DeepSeek-V3."""
