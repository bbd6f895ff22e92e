"""Chapter 13 · Ring and tree."""
