# Wrong: a group of one node in stage 1, which there is not.
def sharding_design(**inputs):
    return 1, 1, "adam"
