"""Chapter 5 · Latency and bandwidth."""
