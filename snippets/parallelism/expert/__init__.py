"""Chapter 20 · Expert parallelism."""
