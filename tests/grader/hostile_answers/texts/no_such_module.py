# Message: ModuleNotFoundError: No module named 'no_such_module' (line 2)
import no_such_module


def largest_micro_batch(**given):
    return 7
