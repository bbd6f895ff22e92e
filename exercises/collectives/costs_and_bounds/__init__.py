"""Exercises of chapter 14, costs and bounds."""
