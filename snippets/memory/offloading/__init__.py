"""Chapter 24 · Offloading."""
