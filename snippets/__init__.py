"""The book's tested package: formulas, simulators and figures, one folder for each part.

The first word of a module's docstring says what it is:

- ``Formulas``: closed forms. Standard library only, so that the same file runs in a browser.
- ``Simulators``: NumPy programs that move real arrays and count what they send and hold.
- ``Figures``: pictures of what formulas and simulators return.

Formulas import formulas alone; simulators import formulas and simulators; figures import anything here.
"""
