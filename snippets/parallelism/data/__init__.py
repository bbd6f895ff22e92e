"""Chapter 16 · Data parallelism."""
