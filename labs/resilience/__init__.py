"""Labs of the part Resilience."""
