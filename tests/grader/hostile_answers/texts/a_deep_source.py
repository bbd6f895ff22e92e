# A source that nests too deep for Python.
largest_micro_batch = eval("(" * 5000 + "7" + ")" * 5000)
