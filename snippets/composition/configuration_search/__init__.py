"""Chapter 29 · Configuration search."""
