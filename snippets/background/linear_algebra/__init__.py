"""Chapter A1 · Linear algebra."""
