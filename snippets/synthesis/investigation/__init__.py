"""Chapter 36 · 36 · Investigation."""
