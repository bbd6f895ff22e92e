"""Chapter 38 · 38 · DeepSeek-V3."""
