"""Chapter 32 · Precision."""
