"""Chapter 31 · 31 · Local SGD."""
