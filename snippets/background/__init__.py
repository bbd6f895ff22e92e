"""Formulas, simulators and figures of Appendix A, the mathematical background."""
