"""Chapter 4 · The data pipeline."""
