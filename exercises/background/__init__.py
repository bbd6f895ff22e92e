"""Exercises of Appendix A, the mathematical background."""
