"""The book on paper and as an e-book."""
