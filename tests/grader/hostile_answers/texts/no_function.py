# Message: is no function
largest_micro_batch = 7
