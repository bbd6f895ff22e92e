"""Chapter 6 · Economics."""
