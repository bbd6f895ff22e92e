"""The part Foundations."""
