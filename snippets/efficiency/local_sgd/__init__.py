"""Chapter 31 · Local SGD."""
