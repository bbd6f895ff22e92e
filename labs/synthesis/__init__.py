"""Labs of the part Synthesis."""
