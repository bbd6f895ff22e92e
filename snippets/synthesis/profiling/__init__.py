"""Chapter 35 · Profiling."""
