"""Chapter 7 · Estimation."""
