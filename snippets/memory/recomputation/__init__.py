"""Chapter 23 · Recomputation."""
