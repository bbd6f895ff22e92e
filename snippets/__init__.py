"""The book's tested package. ``from snippets import ring_all_reduce_bytes`` finds every formula and every catalogue.

Nothing is imported before it is asked for. ``dir(snippets)`` names formulas and catalogues (``MODELS``, ``LINKS``).
Records such as ``Recipe`` are found too, and what the field calls a formula besides (``mfu``), from the docstrings'
``Also:`` lines. A name in another spelling, or without its unit, is found where it can mean one alone; so is another
word for an argument (``seq_len``, ``params``). A wrong name is answered with those that are near and the nearest one's
call, a wrong argument with those that there are.

The modules stand in a folder for each part and chapter. The first word of a module's docstring says what it is:

- ``Formulas``: closed forms. Standard library only, so that the same file runs in a browser.
- ``Simulators``: NumPy programs that move real arrays and count what they send and hold.
- ``Drawings``: pictures that the standard library draws, such as live figures.
- ``Figures``: pictures of what formulas and simulators return, with matplotlib.
- ``Commands``: the formulas from a terminal, ``python -m snippets``.

A module imports only what stands above it in this list or beside it.
"""


def __getattr__(name: str) -> object:
    from snippets.door import opened

    return opened(name)


def __dir__() -> list[str]:
    from snippets.door import shown

    return shown()
