"""Chapter 29 · 29 · Configuration search."""
