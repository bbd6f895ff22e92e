"""Chapter A3 · Optimization."""
