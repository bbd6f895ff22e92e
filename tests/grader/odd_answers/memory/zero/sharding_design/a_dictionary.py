# Wrong: a dictionary.
# Message: dict
def sharding_design(**inputs):
    return {"stage": 1, "group": 2, "recipe": "adam"}
