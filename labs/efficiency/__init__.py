"""Labs of the part on efficiency frontiers."""
