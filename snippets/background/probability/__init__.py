"""Chapter A2 · Probability."""
