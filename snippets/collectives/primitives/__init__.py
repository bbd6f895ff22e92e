"""Chapter 12 · Primitives."""
