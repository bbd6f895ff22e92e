"""The part Synthesis."""
