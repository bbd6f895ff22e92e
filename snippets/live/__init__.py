"""What live figures share: knobs, axes, stacked bars, and how one is declared."""
