"""Chapter 17 · Tensor parallelism."""
