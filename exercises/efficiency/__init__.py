"""The part Efficiency frontiers."""
