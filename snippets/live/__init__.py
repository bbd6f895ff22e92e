"""Live figures: pure functions from a reader's settings to pictures, run by the build and by the page."""
