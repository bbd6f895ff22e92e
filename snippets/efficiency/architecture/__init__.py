"""Chapter 34 · Architecture: what each kind of attention keeps, compares and sends."""
