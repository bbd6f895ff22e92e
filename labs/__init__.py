"""The book's subjects on a real engine: PyTorch distributed. See labs/README.md."""
