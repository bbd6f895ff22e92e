"""Makes a chapter's page: prose, formulas, figures, exercises, questions."""
