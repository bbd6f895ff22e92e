"""Chapter 14 · Costs and bounds."""
