"""What the book costs those who write, build, read and grade it. results.md has the results."""
