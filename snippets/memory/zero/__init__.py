"""Chapter 22 · ZeRO."""
