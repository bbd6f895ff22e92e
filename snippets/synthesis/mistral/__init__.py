"""Chapter 39 · Mistral."""
