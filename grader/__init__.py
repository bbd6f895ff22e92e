"""What grades the exercises: declarations, the judge, the processes in which answers run, and what readers are told."""
