"""Chapter 33 · Overlap."""
