"""Labs of the part Memory."""
