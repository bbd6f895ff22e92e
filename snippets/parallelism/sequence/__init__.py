"""Chapter 19 · Sequence parallelism."""
