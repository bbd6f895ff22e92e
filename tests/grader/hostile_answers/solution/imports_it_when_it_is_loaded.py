# Imports the solution before anything is asked.
# Message: an answer may not import exercises
from exercises.memory.memory_equation.largest_micro_batch import largest_micro_batch
