"""Chapter 3 · The memory hierarchy."""
