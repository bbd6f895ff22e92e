"""Chapter A4 · Information theory."""
