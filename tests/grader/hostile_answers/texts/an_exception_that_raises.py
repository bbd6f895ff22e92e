# An exception whose text raises another.
class Worse(Exception):
    def __str__(self):
        raise Worse

    __repr__ = __str__


def largest_micro_batch(**given):
    raise Worse
