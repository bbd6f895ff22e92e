"""Chapter 8 · The loss surface."""
