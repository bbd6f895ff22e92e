# Wrong: a list of a stage, a group and a recipe, always the same.
def sharding_design(**inputs):
    return [1, 2, "adam"]
