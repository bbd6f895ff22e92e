"""The book's exercises: graders, solutions and typical wrong answers."""
