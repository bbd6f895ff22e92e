"""Formulas, simulators and figures of Part IV, parallelism from properties."""
