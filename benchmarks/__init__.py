"""What the book costs those who write, build, read and grade it. CONTRIBUTING.md has the results."""
