"""Collective communication: schedules, what they cost and the bounds they cannot beat."""
