"""Labs of the part on collectives."""
