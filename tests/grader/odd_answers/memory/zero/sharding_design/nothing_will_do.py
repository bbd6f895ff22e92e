# Wrong: always says that nothing will do.
def sharding_design(**inputs):
    return None
