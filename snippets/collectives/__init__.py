"""Collective communication: message times, schedules, what they cost and the bounds they cannot beat."""
