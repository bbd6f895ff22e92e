"""Chapter 37 · 37 · Llama 3."""
