"""Chapter 40 · Conclusion."""
