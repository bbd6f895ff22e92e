"""Chapter 11 · Batch size."""
