"""Labs of the part on parallelism."""
