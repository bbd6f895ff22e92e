"""Chapter 30: fewer bits on the wire, and what that breaks."""
