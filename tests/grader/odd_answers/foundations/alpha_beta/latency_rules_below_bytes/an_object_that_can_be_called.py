# Right: an object of a class with __call__.
from dataclasses import dataclass


@dataclass
class Rule:
    factor: float = 1.0

    def __call__(self, *, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
        return self.factor * ranks * latency_s * bandwidth_bytes_per_s


latency_rules_below_bytes = Rule()
