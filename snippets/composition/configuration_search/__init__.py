"""Chapter 26 · 26 · Three dimensions."""
