"""Exercises of Part III, the algebra of collectives."""
