"""Chapter 1 · One machine."""
