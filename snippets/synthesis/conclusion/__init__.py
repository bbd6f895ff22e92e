"""Chapter 40 · 40 · Conclusion."""
