"""Chapter 18 · Pipeline parallelism."""
