"""Formulas and simulators of Part V, memory as a dimension: what training must hold, and what sharding it costs."""
