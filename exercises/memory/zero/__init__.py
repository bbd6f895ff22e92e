"""Exercises of chapter 22, ZeRO."""
