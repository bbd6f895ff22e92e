"""What the press costs, measured beside what it replaces. Run ``python benchmarks/press.py --help``."""
