"""Formulas, simulators and figures of Part I, the foundations: what a message costs."""
