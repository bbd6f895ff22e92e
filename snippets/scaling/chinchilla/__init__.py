"""Chapter 9 · Chinchilla."""
