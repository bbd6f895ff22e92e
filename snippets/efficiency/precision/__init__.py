"""Chapter 32 · 32 · Precision."""
