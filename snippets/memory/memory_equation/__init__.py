"""Chapter 21 · The memory equation."""
