# Wrong: forgets the backward pass in one, counts both directions of the link in another, and is sure of both.
# Message: score of each problem: up to 10.21: problem 2 misses by ×2 to ×8; 6 misses by less than ×2
def fermi_range(problem):
    number = {1: 7e10, 2: 1.08e23, 3: 8.1, 4: 0.029, 5: 20, 6: 0.041, 7: 1e7, 8: 2e6}[problem]
    return number / 1.1, number * 1.1
