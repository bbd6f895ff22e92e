"""Chapter 10 · Phase transitions."""
