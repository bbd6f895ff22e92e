"""Chapter 2 · The roofline."""
