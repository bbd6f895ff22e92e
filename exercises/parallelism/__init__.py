"""Exercises of part IV, parallelism."""
