"""Chapter 15 · Topology."""
