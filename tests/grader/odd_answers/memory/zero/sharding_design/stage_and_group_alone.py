# Wrong: forgets the recipe.
def sharding_design(**inputs):
    return 1, inputs["gpus_per_node"] * inputs["nodes"]
