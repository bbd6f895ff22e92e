"""The simulated machine: schedules, and ranks that run programs."""
